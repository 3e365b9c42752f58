import EventLoop
import Glibc

/// Files that hold a secret: nobody else may be able to read them.
enum PrivateFile {
  /// - Parameters:
  ///   - limit: bytes; more are refused.
  ///   - followsLink: whether `path` may be a link to the file.
  /// - Throws: `FILE_NOT_PRIVATE`, `FILE_UNUSABLE`.
  static func read(
    _ path: String, limit: Int, followsLink: Bool = true, owner: UInt32 = geteuid()
  ) throws(CommandFailure) -> [UInt8] {
    let complaint: String?
    do throws(SystemError) {
      let file = try Files.open(path, .read, followsLink: followsLink)
      complaint = Self.complaint(try file.status(), owner: owner)
      if complaint == nil { return try file.readToEnd(limit: limit) }
    } catch {
      throw unusable(path, error)
    }
    throw CommandFailure(
      .notAllowed, .fileNotPrivate, "\(path) \(complaint ?? "")",
      hint: "Make it yours alone with “chmod 600 \(path)”.", field: path)
  }

  private static func complaint(_ status: FileStatus, owner: UInt32) -> String? {
    guard status.owner == owner || status.owner == 0 else {
      return "belongs to another user: what is in it may be anybody's"
    }
    guard status.mode & 0o077 == 0 else {
      let mode = String(status.mode & 0o777, radix: 8)
      return "has the mode \(mode): others can read the secret in it"
    }
    return nil
  }

  static func unusable(_ path: String, _ error: SystemError) -> CommandFailure {
    let reason =
      error.code == EFBIG ? "is too long for what it should hold" : "cannot be read: \(error)"
    return CommandFailure(.badData, .fileUnusable, "\(path) \(reason)", field: path)
  }
}
