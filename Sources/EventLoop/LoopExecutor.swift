import CLinux
import Glibc
import Synchronization

/// Runs the jobs of `LoopActor` on one thread, between looks at the kernel.
///
/// Two kinds of state, never mixed: what any thread touches is in `inbox`, behind a mutex, and
/// in `thread`; what the loop's thread owns is `local` and `running`, and `LoopCore`.
// @unchecked: `inbox` and `thread` are Sendable. `local` and `running` are touched only by the
// thread that `thread` names, which each access has compared with its own.
final class LoopExecutor: SerialExecutor, @unchecked Sendable {
  static let shared = LoopExecutor()

  private struct Inbox {
    var jobs: [UnownedJob] = []
    /// The loop sleeps or is about to: whoever adds a job must wake it.
    var waiting = false
    var stopping = false
    /// Somebody has taken on to run the loop, or has run and stopped it.
    var claimed = false
  }

  private let inbox = Mutex(Inbox())
  /// The thread that runs the loop now; 0 when none does.
  private let thread = Atomic<UInt>(0)
  private let wakeUp = WakeUp()

  private var local: [UnownedJob] = []
  private var running: [UnownedJob] = []

  /// How often jobs may add jobs before the kernel is asked for events again, so that a chain
  /// of jobs cannot starve the sockets.
  private static let roundsPerTurn = 16

  var isOnLoopThread: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  // MARK: Executor

  func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

  func add(_ job: UnownedJob) {
    if isOnLoopThread {
      local.append(job)
      return
    }
    let (wake, start) = inbox.withLock { inbox in
      inbox.jobs.append(job)
      let answer = (inbox.waiting, !inbox.claimed)
      inbox.waiting = false
      inbox.claimed = true
      return answer
    }
    if start { startThread() }
    if wake { wakeUp.signal() }
  }

  func checkIsolated() {
    precondition(isOnLoopThread, "this code belongs on the event loop's thread")
  }

  func isIsolatingCurrentContext() -> Bool? { isOnLoopThread }

  // MARK: The loop

  /// Takes on to run the loop on this thread.
  ///
  /// - Precondition: nobody runs it, and no job has started a thread for it.
  func claim() {
    let free = inbox.withLock { inbox in
      let free = !inbox.claimed || inbox.stopping
      inbox.claimed = true
      inbox.stopping = false
      return free
    }
    precondition(free, "the event loop already runs on another thread")
  }

  /// Runs jobs and events until `stop()`.
  func run() {
    thread.store(UInt(pthread_self()), ordering: .relaxed)
    let core = LoopActor.assumeIsolated {
      ignoreFailingWrites()
      let core = LoopCore.shared
      core.watchWakeUps(of: wakeUp)
      return core
    }
    while true {
      runJobs()
      let (sleep, stop) = inbox.withLock { inbox in
        local.append(contentsOf: inbox.jobs)
        inbox.jobs.removeAll(keepingCapacity: true)
        inbox.waiting = local.isEmpty && !inbox.stopping
        return (inbox.waiting, inbox.stopping)
      }
      if stop { break }
      LoopActor.assumeIsolated { core.turn(sleep: sleep) }
    }
    thread.store(0, ordering: .relaxed)
  }

  /// Ends `run()` after the jobs that are running now. What is left over waits for the next `run()`.
  func stop() {
    let wake = inbox.withLock { inbox in
      inbox.stopping = true
      let wake = inbox.waiting
      inbox.waiting = false
      return wake
    }
    if wake { wakeUp.signal() }
  }

  private func runJobs() {
    var rounds = 0
    while !local.isEmpty && rounds < Self.roundsPerTurn {
      swap(&local, &running)
      for job in running { job.runSynchronously(on: asUnownedSerialExecutor()) }
      running.removeAll(keepingCapacity: true)
      rounds += 1
    }
  }

  private func startThread() {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    // The host program's signals are not ours to take: the thread starts with all of them
    // blocked, and so do its children in between.
    var all = sigset_t()
    var old = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &old)
    var id = pthread_t()
    let result = pthread_create(
      &id, &attributes,
      { _ in
        pthread_setname_np(pthread_self(), "mero-loop")
        LoopExecutor.shared.run()
        return nil
      }, nil)
    pthread_sigmask(SIG_SETMASK, &old, nil)
    pthread_attr_destroy(&attributes)
    precondition(result == 0, "pthread_create: \(String(cString: strerror(result)))")
  }

  /// A peer that leaves during a write must be an error of that write, not the end of the
  /// process: libcurl and OpenSSL write without MSG_NOSIGNAL. So must a file that is as large as
  /// files may be here (setrlimit). A host program's own handlers stay.
  private func ignoreFailingWrites() {
    for number in [SIGPIPE, SIGXFSZ] {
      var current = sigaction()
      sigaction(number, nil, &current)
      if current.__sigaction_handler.sa_handler == nil { signal(number, SIG_IGN) }
    }
  }
}
