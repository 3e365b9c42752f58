import CLinux
import Glibc

/// A program that this one started: an opener of pages, a helper.
///
/// It gets nothing by accident: the environment that the command names, the three standard
/// descriptors and no other, no blocked and no ignored signals, a session of its own.
@LoopActor package final class ChildProcess {
  package struct Command: Sendable {
    /// An absolute path; nothing is searched for.
    package var path: String
    /// Without the name of the program, which is `path`.
    package var arguments: [String]
    /// Lines of the form `NAME=value`; the whole environment.
    package var environment: [String]
    package var output: Output

    package init(
      path: String, arguments: [String] = [], environment: [String] = [], output: Output = .null
    ) {
      self.path = path
      self.arguments = arguments
      self.environment = environment
      self.output = output
    }
  }

  /// Where its standard output and error go. Its input is always empty.
  package enum Output: Sendable {
    case null
    /// To this process's standard error, both.
    case standardError
  }

  package enum Exit: Equatable, Sendable {
    case code(Int32)
    case signal(Int32)
  }

  package let pid: Int32
  /// How it ended; `nil` while it runs.
  package private(set) var exit: Exit?

  private var watch: Watch?
  private var waiters: [UnsafeContinuation<Exit, Never>] = []

  /// Starts it. This object lives until its program has ended, so no zombie is left behind
  /// when nobody asks for the end.
  ///
  /// - Throws: what kept the program from running, such as `ENOENT` and `EACCES`; `EINVAL` for a
  ///   text with a NUL inside.
  package static func spawn(_ command: Command) throws(SystemError) -> ChildProcess {
    // A place among the descriptors, before there is a program that would have to be ended for
    // the want of one.
    let place = try systemCall("eventfd") { eventfd(0, CInt(EFD_CLOEXEC)) }
    let pid: pid_t
    do {
      defer { Glibc.close(place) }
      pid = try start(command)
    }
    // It cannot be anybody else's number yet: it is reaped in `reap` alone.
    do throws(SystemError) {
      let number = try systemCall("pidfd_open") { clinux_pidfd_open(pid) }
      return try ChildProcess(pid, OwnedDescriptor(adopting: number))
    } catch {
      // Unwatched it would become a zombie.
      _ = Glibc.kill(pid, SIGKILL)
      _ = waitpid(pid, nil, 0)
      throw error
    }
  }

  private init(_ pid: Int32, _ descriptor: consuming OwnedDescriptor) throws(SystemError) {
    self.pid = pid
    // Readable when the program itself has ended, whatever its own children do.
    watch = try Watch(descriptor, for: .readable) { [weak self] _ in self?.reap() }
    Self.running[pid] = self
  }

  private static var running: [Int32: ChildProcess] = [:]

  /// Returns when it has ended. Cancelling the task does not end the wait.
  package func waitForExit() async -> Exit {
    if let exit { return exit }
    return await withUnsafeContinuation { waiters.append($0) }
  }

  /// Sends a signal to the program; nothing when it has ended.
  package func send(_ signal: Signal) {
    // The number stays its own until it is reaped.
    if exit == nil { _ = Glibc.kill(pid, signal.rawValue) }
  }

  private func reap() {
    var status: CInt = 0
    guard waitpid(pid, &status, WNOHANG) == pid else { return }
    // The macros of wait(2): the low seven bits are the signal, the next byte the code.
    let signal = status & 0x7f
    let exit = signal == 0 ? Exit.code((status >> 8) & 0xff) : .signal(signal)
    self.exit = exit
    watch?.close()
    watch = nil
    Self.running[pid] = nil
    for waiter in waiters { waiter.resume(returning: exit) }
    waiters = []
  }
}

extension ChildProcess {
  private static func start(_ command: Command) throws(SystemError) -> pid_t {
    let words = [command.path] + command.arguments
    guard (words + command.environment).allSatisfy({ !$0.utf8.contains(0) }) else {
      throw SystemError(call: "posix_spawn", code: EINVAL)
    }
    let attributes = SpawnAttributes()
    let actions = SpawnActions(output: command.output)
    let arguments = CStrings(words)
    let environment = CStrings(command.environment)
    var pid: pid_t = 0
    let code = posix_spawn(
      &pid, command.path, actions.value, attributes.value, arguments.value, environment.value)
    // posix_spawn returns its error; errno is not set.
    guard code == 0 else { throw SystemError(call: "posix_spawn", code: code) }
    return pid
  }
}

/// No signal blocked, none ignored (this process ignores two), and a session of its own.
private struct SpawnAttributes: ~Copyable {
  let value = UnsafeMutablePointer<posix_spawnattr_t>.allocate(capacity: 1)

  init() {
    posix_spawnattr_init(value)
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(value, &none)
    posix_spawnattr_setsigdefault(value, &all)
    posix_spawnattr_setflags(
      value,
      Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | Int16(CLINUX_SPAWN_SETSID))
  }

  deinit {
    posix_spawnattr_destroy(value)
    value.deallocate()
  }
}

/// The three standard descriptors, and none else: not even one that a library opened without
/// close-on-exec.
private struct SpawnActions: ~Copyable {
  let value = UnsafeMutablePointer<posix_spawn_file_actions_t>.allocate(capacity: 1)

  init(output: ChildProcess.Output) {
    posix_spawn_file_actions_init(value)
    posix_spawn_file_actions_addopen(value, 0, "/dev/null", O_RDONLY, 0)
    switch output {
    case .null: posix_spawn_file_actions_addopen(value, 1, "/dev/null", O_WRONLY, 0)
    case .standardError: posix_spawn_file_actions_adddup2(value, 2, 1)
    }
    posix_spawn_file_actions_adddup2(value, 1, 2)
    posix_spawn_file_actions_addclosefrom_np(value, 3)
  }

  deinit {
    posix_spawn_file_actions_destroy(value)
    value.deallocate()
  }
}

/// A null-terminated array of C strings.
private struct CStrings: ~Copyable {
  let value: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ strings: [String]) {
    count = strings.count
    value = .allocate(capacity: count + 1)
    for (index, string) in strings.enumerated() { value[index] = strdup(string) }
    value[count] = nil
  }

  deinit {
    for index in 0..<count { free(value[index]) }
    value.deallocate()
  }
}
