import CLinux
import Glibc

/// A signal that a program of ours listens to.
package enum Signal: Int32, Sendable, CaseIterable {
  case hangUp = 1
  case interrupt = 2
  case kill = 9
  case user1 = 10
  case user2 = 12
  case terminate = 15
}

/// Signals as events of the loop: no handler, so no code that runs between two instructions.
@LoopActor package final class Signals {
  private var watch: Watch?

  /// Keeps `signals` from ending the process, and makes them wait for a `Signals`. Called first
  /// thing in `main`: threads inherit it, and one thread that does not block a signal is one to
  /// which the kernel may deliver it.
  nonisolated package static func block(_ signals: [Signal]) {
    var set = Self.set(of: signals)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Keeps `signals` pending while `body` runs.
  nonisolated package static func blocked<R, E: Error>(
    _ signals: [Signal], _ body: () throws(E) -> R
  ) throws(E) -> R {
    var set = Self.set(of: signals)
    var old = sigset_t()
    pthread_sigmask(SIG_BLOCK, &set, &old)
    defer { pthread_sigmask(SIG_SETMASK, &old, nil) }
    return try body()
  }

  /// Lets `signals` have their own effect again while `body` runs: it waits in a system call, and
  /// the loop with it.
  nonisolated package static func unblocked<R, E: Error>(
    _ signals: [Signal], _ body: () throws(E) -> R
  ) throws(E) -> R {
    var set = Self.set(of: signals)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    defer { pthread_sigmask(SIG_BLOCK, &set, nil) }
    return try body()
  }

  /// Blocks `signals` on the loop's thread and tells of each that arrives, in the order of the
  /// kernel; several of one kind may arrive as one.
  package init(
    _ signals: [Signal], _ onSignal: @escaping @LoopActor (Signal) -> Void
  ) throws(SystemError) {
    Self.block(signals)
    let descriptor = try Self.descriptor(of: signals)
    let number = descriptor.withNumber { $0 }
    watch = try Watch(descriptor, for: .readable) { _ in
      guard let signal = Self.next(from: number) else { return }
      onSignal(signal)
    }
  }

  isolated deinit { stop() }

  /// Tells no more. The signals stay blocked: one that comes now does not end the process.
  package func stop() {
    watch?.close()
    watch = nil
  }

  /// Readable while one of `signals`, which are blocked, is pending (signalfd(2)).
  nonisolated static func descriptor(
    of signals: [Signal]
  ) throws(SystemError) -> OwnedDescriptor {
    var set = Self.set(of: signals)
    let flags = CInt(SFD_CLOEXEC) | CInt(SFD_NONBLOCK)
    return OwnedDescriptor(adopting: try systemCall("signalfd") { signalfd(-1, &set, flags) })
  }

  /// One for each event: the descriptor stays readable while there are more.
  nonisolated static func next(from number: CInt) -> Signal? {
    var info = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard Glibc.read(number, &info, size) == size else { return nil }
    return Signal(rawValue: Int32(info.ssi_signo))
  }

  nonisolated private static func set(of signals: [Signal]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal.rawValue) }
    return set
  }
}
