import EventLoop
import Glibc

/// Whoever reads standard output from a pipe. When they leave, a program that writes now and then
/// would not hear of it before its next word; this one ends at once (`watch | head -n 1`).
@LoopActor final class OutputReader {
  private var source: ReadinessSource?

  /// A file or a terminal has nobody who could leave.
  init() {
    // epoll_ctl(2): "epoll_wait(2) will always wait for EPOLLERR"; a pipe without a reader has it.
    source = try? ReadinessSource(watching: StandardStream.output.rawValue, for: []) { _ in
      ProcessEnd.by(SIGPIPE)
    }
  }

  func stop() { source?.cancel() }
}
