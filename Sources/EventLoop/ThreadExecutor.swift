import CLinux
import Glibc
import Synchronization

/// A thread of its own for one actor whose work waits for the disk.
///
/// Jobs run one after another in the order in which they came, so that a job which adds another
/// knows that everything that came in the meantime runs before it.
///
/// The owner calls `stop()` when no more jobs can come; the thread then ends and frees this object.
package final class ThreadExecutor: SerialExecutor {
  private struct Inbox {
    var jobs: [UnownedJob] = []
    var stopping = false
  }

  private let inbox = Mutex(Inbox())
  private let bell: Bell
  /// The thread's `pthread_t`; 0 until it runs.
  private let thread = Atomic<UInt>(0)

  package init() throws(SystemError) {
    bell = try Bell()
    try start()
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let first = inbox.withLock { inbox in
      inbox.jobs.append(job)
      return inbox.jobs.count == 1
    }
    if first { bell.ring() }
  }

  package func checkIsolated() {
    precondition(isOnThread, "this code belongs on the thread of its actor")
  }

  package func isIsolatingCurrentContext() -> Bool? { isOnThread }

  /// Lets the thread end once it has no job left.
  package func stop() {
    inbox.withLock { inbox in inbox.stopping = true }
    bell.ring()
  }

  private var isOnThread: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  private func run() {
    thread.store(UInt(pthread_self()), ordering: .relaxed)
    while true {
      let (jobs, stopping) = inbox.withLock { inbox in
        defer { inbox.jobs.removeAll(keepingCapacity: true) }
        return (inbox.jobs, inbox.stopping)
      }
      for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
      if !jobs.isEmpty { continue }
      if stopping { return }
      bell.wait()
    }
  }

  private func start() throws(SystemError) {
    // Signals are the main thread's: this one starts with all of them blocked.
    var all = sigset_t()
    var old = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &old)
    defer { pthread_sigmask(SIG_SETMASK, &old, nil) }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    let itself = Unmanaged.passRetained(self)
    var id = pthread_t()
    let result = pthread_create(
      &id, &attributes,
      { argument in
        guard let argument else { return nil }
        Unmanaged<ThreadExecutor>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, itself.toOpaque())
    guard result == 0 else {
      itself.release()
      throw SystemError(call: "pthread_create", code: result)
    }
  }
}

/// An eventfd that one thread sleeps on.
private struct Bell: ~Copyable, Sendable {
  private let descriptor: OwnedDescriptor

  init() throws(SystemError) {
    let number = try systemCall("eventfd") { eventfd(0, CInt(EFD_CLOEXEC)) }
    descriptor = OwnedDescriptor(adopting: number)
  }

  borrowing func ring() { descriptor.withNumber { number in _ = eventfd_write(number, 1) } }

  /// Returns once somebody has rung since the last call; a signal may end it early.
  borrowing func wait() {
    descriptor.withNumber { number in
      var count: eventfd_t = 0
      _ = eventfd_read(number, &count)
    }
  }
}
