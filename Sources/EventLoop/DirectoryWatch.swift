import CLinux
import Glibc

/// Tells of names that leave a directory, and of the directory's own end (inotify(7)).
@LoopActor package final class DirectoryWatch {
  private var watch: Watch?

  /// - Parameter onChange: something left the directory, or the directory itself is gone; called
  ///   once for a burst. What is there now is for the caller to look at.
  /// - Throws: `ENOENT`, `ENOSPC` and `EMFILE` where the user has too many watches.
  package init(_ path: String, _ onChange: @escaping @LoopActor () -> Void) throws(SystemError) {
    try Files.check(path, "inotify_add_watch")
    let flags = CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK)
    let number = try systemCall("inotify_init1") { inotify_init1(flags) }
    let descriptor = OwnedDescriptor(adopting: number)
    let events = IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF
    _ = try systemCall("inotify_add_watch") {
      inotify_add_watch(number, path, UInt32(events) | UInt32(IN_ONLYDIR))
    }
    watch = try Watch(descriptor, for: .readable) { _ in
      Self.drain(number)
      onChange()
    }
  }

  isolated deinit { stop() }

  package func stop() {
    watch?.close()
    watch = nil
  }

  /// What happened is not looked at: the directory itself says what is there.
  private static func drain(_ number: CInt) {
    var events = [UInt8](repeating: 0, count: 4096)
    while Glibc.read(number, &events, events.count) > 0 {}
  }
}
