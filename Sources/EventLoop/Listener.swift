import CLinux
import Glibc

/// A listening socket on the event loop. It is bound once and never closed to be bound again.
@LoopActor package final class Listener {
  /// Where it listens; the port is the real one also when 0 was asked for.
  nonisolated package let address: SocketAddress

  nonisolated package var port: UInt16? { address.port }

  /// Told when connections must wait because the process or the machine has no descriptors (but the
  /// reserve for everything else) or memory left: once for each such time, and at most once in `reportInterval`.
  package var onExhausted: (@LoopActor (SystemError) -> Void)?

  private var watch: Watch?
  private let waiter = StreamWait()
  private let path: SocketPath?
  private var lastReport: BootInstant?
  /// The last connection has taken a descriptor of the reserve: what comes next looks first.
  private var reachedReserve = false

  /// How long accepting pauses when descriptors are out. The kernel gives no event when one
  /// becomes free.
  private static let pause: Duration = .milliseconds(100)
  private static let reportInterval: Duration = .seconds(60)
  /// As systemd's own default: the kernel cuts it to `net.core.somaxconn`.
  private static let backlog: CInt = 4096

  private init(_ descriptor: consuming OwnedDescriptor, path: SocketPath?) throws(SystemError) {
    guard let address = descriptor.withNumber(SocketAddress.local(of:)) else {
      throw SystemError(call: "getsockname", code: EAFNOSUPPORT)
    }
    self.address = address
    self.path = path
    if case .unix = address {
    } else {
      // Inherited by accepted sockets. Answers are written whole; waiting to fill a packet
      // only delays them.
      try descriptor.setOption(CInt(IPPROTO_TCP), TCP_NODELAY, to: 1)
    }
    watch = try Watch(descriptor, for: [.readable, .onChange]) { [weak waiter] _ in
      waiter?.wake()
    }
  }

  isolated deinit { close() }

  // MARK: Making one

  /// Listens on a Unix socket that has `mode` from its birth, whatever the umask, and never
  /// more. A socket that a dead process left at `path` is replaced; the caller holds a lock that
  /// keeps a second instance from doing the same at the same time.
  ///
  /// - Throws: `EADDRINUSE` when somebody listens there or `path` is not a socket,
  ///   `ENAMETOOLONG` beyond 107 bytes.
  package static func unix(path: String, mode: UInt32) throws(SystemError) -> Listener {
    let descriptor = try OwnedDescriptor.streamSocket(AF_UNIX)
    // The file gets the mode of the socket's inode less the umask (unix_bind), so there is no
    // moment at which it is wider, and no need to change the umask of a process with threads.
    _ = try descriptor.withNumber { number throws(SystemError) in
      try systemCall("fchmod") { fchmod(number, mode_t(mode)) }
    }
    let address = SocketAddress.unix(path: path)
    do {
      try bind(descriptor, to: address)
    } catch {
      guard error.code == EADDRINUSE, SocketPath.isAbandoned(path) else { throw error }
      _ = unlink(path)
      try bind(descriptor, to: address)
    }
    // A umask stricter than `mode` has taken bits away: give them back.
    _ = try systemCall("chmod") { chmod(path, mode_t(mode)) }
    try listen(descriptor)
    return try Listener(descriptor, path: SocketPath(path))
  }

  /// Listens on 127.0.0.1; on a port that the kernel chooses when `port` is 0.
  package static func loopback4(port: UInt16) throws(SystemError) -> Listener {
    try tcp(AF_INET, .loopback4(port: port))
  }

  /// Listens on ::1 alone.
  ///
  /// - Throws: `EAFNOSUPPORT` (no IPv6 in the kernel) or `EADDRNOTAVAIL` (none on loopback) on a
  ///   machine without it.
  package static func loopback6(port: UInt16) throws(SystemError) -> Listener {
    try tcp(AF_INET6, .loopback6(port: port))
  }

  /// Takes over a listening socket that the service manager made.
  ///
  /// - Throws: `EINVAL` for a descriptor that is no listening stream socket.
  package convenience init(adopting descriptor: consuming OwnedDescriptor) throws(SystemError) {
    guard try descriptor.option(SOL_SOCKET, SO_ACCEPTCONN) == 1,
      try descriptor.option(SOL_SOCKET, SO_TYPE) == CInt(SOCK_STREAM.rawValue)
    else { throw SystemError(call: "listen", code: EINVAL) }
    try descriptor.setCloseOnExecAndNonBlocking()
    try self.init(descriptor, path: nil)
  }

  private static func tcp(
    _ family: CInt, _ address: SocketAddress
  ) throws(SystemError) -> Listener {
    let descriptor = try OwnedDescriptor.streamSocket(family)
    if family == AF_INET6 { try descriptor.setOption(CInt(IPPROTO_IPV6), IPV6_V6ONLY, to: 1) }
    // Only to get past connections of an earlier run in TIME_WAIT: on Linux it does not let two
    // sockets listen on one port.
    try descriptor.setOption(SOL_SOCKET, SO_REUSEADDR, to: 1)
    try bind(descriptor, to: address)
    try listen(descriptor)
    return try Listener(descriptor, path: nil)
  }

  private static func bind(
    _ descriptor: borrowing OwnedDescriptor, to address: SocketAddress
  ) throws(SystemError) {
    let number = descriptor.withNumber { $0 }
    try address.withKernelForm { form, length throws(SystemError) in
      _ = try systemCall("bind") { Glibc.bind(number, form, length) }
    }
  }

  private static func listen(_ descriptor: borrowing OwnedDescriptor) throws(SystemError) {
    let number = descriptor.withNumber { $0 }
    _ = try systemCall("listen") { Glibc.listen(number, backlog) }
  }

  // MARK: Accepting

  /// The next connection. One task accepts at a time.
  ///
  /// - Throws: `.closed` after `close()`. A lack of descriptors is not thrown but waited out.
  package func accept() async throws(StreamError) -> SocketStream {
    while true {
      switch try next() {
      case .connection(let number):
        do {
          return try SocketStream(adopting: OwnedDescriptor(adopting: number))
        } catch {
          report(error)
        }
      case .none: try await wait(until: nil)
      case .exhausted(let error):
        report(error)
        try await wait(until: .now + Self.pause)
      }
    }
  }

  /// Returns as soon as a connection waits to be accepted, and leaves it waiting.
  ///
  /// - Throws: `.closed` after `close()`.
  package func connectionWaits() async throws(StreamError) {
    while !hasWaitingConnection {
      guard watch != nil else { throw .closed }
      try await wait(until: nil)
    }
  }

  /// Whether a client waits to be accepted at this moment. False after `close()`.
  package var hasWaitingConnection: Bool {
    watch?.withNumber { number in
      var entry = pollfd()
      entry.fd = number
      entry.events = Int16(POLLIN)
      return poll(&entry, 1, 0) > 0
    } ?? false
  }

  private enum Next {
    case connection(CInt)
    case none
    case exhausted(SystemError)
  }

  /// The kernel gives the lowest number that is free, so a low one says that there are others.
  private func hasOnlyReserve() -> Bool {
    guard reachedReserve else { return false }
    let lowest = watch?.withNumber { number -> CInt in
      let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
      if copy >= 0 { Glibc.close(copy) }
      return copy
    }
    reachedReserve = lowest.map { $0 < 0 || UInt($0) >= OpenFilesLimit.reserved } ?? false
    return reachedReserve
  }

  private func next() throws(StreamError) -> Next {
    if hasOnlyReserve() && hasWaitingConnection {
      return .exhausted(SystemError(call: "accept4", code: EMFILE))
    }
    let flags = CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    while true {
      guard let number = watch?.withNumber({ clinux_accept4($0, flags) }) else { throw .closed }
      if number >= 0 {
        reachedReserve = UInt(number) >= OpenFilesLimit.reserved
        return .connection(number)
      }
      switch errno {
      case EAGAIN: return .none
      case EINTR, ECONNABORTED: continue
      case let code where Self.concernsTheListener(code):
        throw .system(SystemError(call: "accept4", code: code))
      case let code:
        // No descriptors or memory; or an error that stays (a policy of the kernel's), which must
        // not be asked for again and again without a pause.
        return .exhausted(SystemError(call: "accept4", code: code))
      }
    }
  }

  private static func concernsTheListener(_ code: CInt) -> Bool {
    code == EBADF || code == EFAULT || code == EINVAL || code == ENOTSOCK || code == EOPNOTSUPP
  }

  /// Returns at an event or at `deadline`.
  private func wait(until deadline: BootInstant?) async throws(StreamError) {
    do {
      try await waiter.wait(until: deadline)
    } catch {
      guard error == .timedOut else { throw error }
    }
  }

  private func report(_ error: SystemError) {
    let now = BootInstant.now
    if let lastReport, now < lastReport + Self.reportInterval { return }
    lastReport = now
    onExhausted?(error)
  }

  /// Stops listening; a pending `accept` throws `.closed`. A Unix socket that this listener made
  /// is removed from the file system.
  package func close() {
    guard let watch else { return }
    self.watch = nil
    path?.remove()
    watch.close()
    waiter.end(with: .closed)
  }
}
