import EventLoop
import Glibc

/// The directory of what must not be lost: ours, 0700, and locked for the life of this value.
struct StateDirectory: ~Copyable, Sendable {
  /// Absolute.
  let path: String
  private let lock: InstanceLock

  /// Makes the directory where it is missing, and takes it.
  ///
  /// - Throws: `ALREADY_RUNNING`, `STATE_UNAVAILABLE`.
  init(path: String) throws(StartFailure) {
    do throws(SystemError) {
      try Files.makeDirectories(path, mode: 0o700)
      let status = try Files.status(of: path)
      guard status.kind == .directory, status.owner == geteuid() else {
        throw SystemError(call: "open", code: status.kind == .directory ? EPERM : ENOTDIR)
      }
      // Whatever the umask was, and whoever widened it since.
      if status.mode & 0o777 != 0o700 { try Files.open(path, .directory).setMode(0o700) }
    } catch {
      throw StartFailure(
        .stateUnavailable, "the state directory \(path) cannot be used (\(error))")
    }
    lock = try InstanceLock(
      path: path + "/lock", guarding: "the state directory \(path)", orElse: .stateUnavailable)
    self.path = path
    Self.narrowFiles(in: path)
  }

  /// Besides the ledger and what SQLite keeps beside it.
  private static let ourNames: Set<String> = ["lock", LastPort.fileName]

  /// Our files that somebody widened are ours alone again; in a directory that a person chose,
  /// nobody else's is touched. One that cannot be changed is no reason not
  /// to start: the directory keeps others out.
  private static func narrowFiles(in path: String) {
    for name in (try? Files.names(in: path)) ?? []
    where ourNames.contains(name) || name.hasPrefix(LedgerFile.name) {
      let file = "\(path)/\(name)"
      guard let status = try? Files.status(of: file, followsLink: false),
        status.kind == .regular, status.mode & 0o177 != 0
      else { continue }
      try? Files.open(file, .read, followsLink: false).setMode(0o600)
    }
  }
}
