import EventLoop

/// Sees when the file of the API's socket is gone, as at a logout that removes the runtime
/// directory: a socket without a name is one that no app can find.
@LoopActor final class SocketWatch {
  private var watch: DirectoryWatch?

  /// - Parameter onGone: called once.
  /// - Throws: where the directory cannot be watched.
  init(_ path: String, onGone: @escaping @LoopActor () -> Void) throws(SystemError) {
    let inode = try Files.status(of: path, followsLink: false).inode
    watch = try DirectoryWatch(Files.directory(of: path)) { [weak self] in
      guard let self, watch != nil else { return }
      let now = try? Files.status(of: path, followsLink: false)
      guard now?.inode != inode else { return }
      stop()
      onGone()
    }
  }

  func stop() {
    watch?.stop()
    watch = nil
  }
}
