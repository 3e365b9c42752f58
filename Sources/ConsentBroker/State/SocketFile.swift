import EventLoop
import Glibc

/// The path of the API socket, checked before anything is made.
struct SocketFile: Sendable, Equatable {
  let path: String

  /// `sun_path` holds 108 bytes with its NUL.
  static let longest = 107

  /// - Throws: `SOCKET_PATH_TOO_LONG`, `CONFIGURATION_INVALID` for a path that is not absolute,
  ///   `SOCKET_PATH_NOT_A_SOCKET` where something else is there.
  init(path: String) throws(StartFailure) {
    let length = path.utf8.count
    guard length <= Self.longest else {
      throw StartFailure(
        .socketPathTooLong,
        "the path of the socket has \(length) bytes, and \(Self.longest) is the most: \(path)")
    }
    guard path.utf8.first == UInt8(ascii: "/"), path.utf8.last != UInt8(ascii: "/"),
      !path.utf8.contains(0)
    else {
      throw StartFailure(
        .configurationInvalid, "the path of the socket is not an absolute path: \(path)")
    }
    self.path = path
    try refuseOtherKinds()
  }

  /// A file, a directory or a link at the path is somebody's, and stays as it is.
  func refuseOtherKinds() throws(StartFailure) {
    guard let status = try? Files.status(of: path, followsLink: false) else { return }
    guard status.kind == .socket else {
      throw StartFailure(
        .socketPathNotASocket, "there is something else than a socket at \(path); move it away")
    }
  }

  /// Two daemons with two state directories may want one socket: this lock is what lets one of
  /// them replace a dead one's.
  func lock() throws(StartFailure) -> InstanceLock {
    try InstanceLock(
      path: path + ".lock", guarding: "the socket \(path)", orElse: .socketUnavailable)
  }

  /// Listens. The caller holds `lock()`.
  @LoopActor func listen() throws(StartFailure) -> Listener {
    try refuseOtherKinds()
    do {
      return try Listener.unix(path: path, mode: 0o600)
    } catch {
      guard error.code != EADDRINUSE else {
        throw StartFailure(.alreadyRunning, "another program answers on \(path); stop it first")
      }
      throw StartFailure(.socketUnavailable, "cannot listen on \(path): \(error)")
    }
  }
}
