import EventLoop
import Glibc

/// The directory of the socket and of `callback`: `$XDG_RUNTIME_DIR/mero-consent`.
struct RuntimeDirectory: Sendable, Equatable {
  /// Absolute. Not made yet.
  let path: String
  /// `$XDG_RUNTIME_DIR/mero-consentd`, for what only the daemon reads: an app in a sandbox may be
  /// given the directory of the socket. Not made yet.
  let own: OwnFolder
  /// Something a person should know about how it was found.
  let warning: String?

  /// Finds it without making anything. A shared directory is never taken instead: there another
  /// user could be first, and answer in our name.
  ///
  /// - Throws: `NO_RUNTIME_DIR`.
  init(_ surroundings: Surroundings) throws(StartFailure) {
    if let parent = surroundings.absolute("XDG_RUNTIME_DIR") {
      try Self.check(parent, owner: surroundings.uid, named: "XDG_RUNTIME_DIR")
      path = parent + "/mero-consent"
      own = OwnFolder(parent + "/mero-consentd", owner: surroundings.uid)
      warning = nil
      return
    }
    let parent = "\(surroundings.runtimeRoot)/\(surroundings.uid)"
    try Self.check(parent, owner: surroundings.uid, named: "the fallback", private: true)
    path = parent + "/mero-consent"
    own = OwnFolder(parent + "/mero-consentd", owner: surroundings.uid)
    warning = "XDG_RUNTIME_DIR names no absolute path; using \(parent)"
  }

  /// Makes it, 0700, or checks the one that is there.
  ///
  /// - Throws: `NO_RUNTIME_DIR` where it is not ours to use.
  func make(owner: UInt32) throws(StartFailure) {
    let status: FileStatus
    do {
      try Self.makeUnlessThere(path)
      status = try Files.status(of: path, followsLink: false)
      if status.kind == .directory, status.owner == owner, status.mode & 0o777 != 0o700 {
        try Files.open(path, .directory, followsLink: false).setMode(0o700)
      }
    } catch {
      throw StartFailure(.noRuntimeDirectory, "cannot make \(path): \(error)")
    }
    guard status.kind == .directory, status.owner == owner else {
      throw StartFailure(
        .noRuntimeDirectory, "\(path) is not a directory of this user's own; remove it")
    }
  }

  private static func makeUnlessThere(_ path: String) throws(SystemError) {
    do {
      try Files.makeDirectory(path, mode: 0o700)
    } catch {
      guard error.code == EEXIST else { throw error }
    }
  }

  private static let advice =
    "log in through the desktop, or name one: export XDG_RUNTIME_DIR=$(mktemp -d)"

  private static func check(
    _ parent: String, owner: UInt32, named name: String, private: Bool = false
  ) throws(StartFailure) {
    let status: FileStatus
    do {
      status = try Files.status(of: parent)
    } catch {
      throw StartFailure(
        .noRuntimeDirectory,
        "there is no runtime directory: \(name) \(parent) cannot be used (\(error)); "
          + advice)
    }
    guard status.kind == .directory, status.owner == owner,
      !`private` || status.mode & 0o777 == 0o700
    else {
      throw StartFailure(
        .noRuntimeDirectory,
        "there is no runtime directory: \(name) \(parent) is not a directory of this user's own; "
          + advice)
    }
  }
}
