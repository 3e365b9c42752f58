import EventLoop
import Glibc

/// Ctrl-C, and what a session manager sends at logout: the program says how to go on, and ends
/// by that signal.
@LoopActor final class Interrupts {
  nonisolated static let signals: [Signal] = [.interrupt, .terminate]

  private var source: Signals?

  /// - Precondition: `signals` are blocked since before there was a second thread.
  init(_ terminal: Terminal) {
    // Without it they stay blocked: the program could not be stopped at all.
    source = try? Signals(Self.signals) { signal in
      terminal.clearLive()
      terminal.say(terminal.farewell)
      ProcessEnd.by(signal.rawValue)
    }
    if source == nil { ProcessEnd.by(SIGTERM) }
  }

  func stop() { source?.stop() }
}
