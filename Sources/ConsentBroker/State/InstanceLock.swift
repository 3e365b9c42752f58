import EventLoop
import Glibc

/// An exclusive lock that is held for the life of this value, and free the moment its process
/// is gone, however it went. What it guards is opened after it and by its holder only.
///
/// Ownership is decided by this lock and never by a timed question, which a busy daemon would
/// answer too late.
struct InstanceLock: ~Copyable, Sendable {
  private let file: OwnedDescriptor

  /// - Parameters:
  ///   - path: of the lock file, which is made where it is missing and stays.
  ///   - guarded: for the message: what another daemon has.
  /// - Throws: `ALREADY_RUNNING`, or `failure` where the file cannot be made.
  init(
    path: String, guarding guarded: String, orElse failure: StartFailure.Word
  ) throws(StartFailure) {
    do throws(SystemError) {
      while true {
        var isWritable = true
        let file = try Self.open(path, &isWritable)
        guard try file.lock() else { break }
        // Somebody may have removed the file between open and lock: then the lock guards nothing.
        guard let now = try? Files.status(of: path, followsLink: false),
          now.inode == (try file.status()).inode
        else { continue }
        if isWritable { try file.setMode(0o600) }
        self.file = file
        return
      }
    } catch {
      throw StartFailure(failure, "cannot lock \(path): \(error)")
    }
    throw StartFailure(
      .alreadyRunning, "another mero-consentd uses \(guarded); stop it first, or use that one")
  }
  /// On a disk that cannot be written, the file of an earlier run: it is not made there, but its
  /// lock holds as well.
  private static func open(
    _ path: String, _ isWritable: inout Bool
  ) throws(SystemError) -> OwnedDescriptor {
    do throws(SystemError) {
      return try Files.open(path, .write, create: .ifMissing(mode: 0o600), followsLink: false)
    } catch {
      guard error.code == EROFS,
        let file = try? Files.open(path, .read, followsLink: false)
      else { throw error }
      isWritable = false
      return file
    }
  }
}
