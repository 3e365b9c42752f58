import Crypto
import EventLoop

/// Where this daemon's files are, found and checked before anything is made.
package struct DaemonPaths: Sendable {
  let socket: SocketFile
  /// Where the state is.
  let state: String
  /// The directory of `callback` and, by default, of the socket; `nil` where there is none and a
  /// socket was named.
  let runtime: RuntimeDirectory?
  /// Below the runtime directory, and of this record alone: what waits for its disk.
  let waiting: OwnFolder?
  private let socketIsOurs: Bool

  /// - Throws: `NO_RUNTIME_DIR`, `SOCKET_PATH_…`, `CONFIGURATION_INVALID`.
  package init(_ configuration: Configuration, _ surroundings: Surroundings) throws(StartFailure) {
    if let path = configuration.socket {
      socket = try SocketFile(path: path)
      runtime = try? RuntimeDirectory(surroundings)
      socketIsOurs = false
    } else {
      let directory = try RuntimeDirectory(surroundings)
      socket = try SocketFile(path: directory.path + "/api.sock")
      runtime = directory
      socketIsOurs = true
    }
    if let directory = configuration.stateDirectory {
      state = directory
    } else {
      state = try surroundings.stateDirectory()
    }
    // Daemons with other records may share the runtime directory.
    let name = Hex.encode(SHA256.hash(Array(state.utf8)).prefix(8))
    waiting = runtime.map { $0.own.folder("record-\(name)") }
  }

  /// Makes the directories of the socket and of `callback`.
  func makeDirectories(owner: UInt32) throws(StartFailure) {
    if socketIsOurs {
      try runtime?.make(owner: owner)
      return
    }
    // Somebody's own choice: what is missing is made private, what is there stays as it is.
    do {
      try Files.makeDirectories(Files.directory(of: socket.path), mode: 0o700)
    } catch {
      throw StartFailure(
        .socketUnavailable, "cannot make the directory of \(socket.path): \(error)")
    }
    // Without it only the file `callback` is missing.
    try? runtime?.make(owner: owner)
  }
}
