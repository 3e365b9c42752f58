import CLinux
import Glibc

/// A connected stream socket on the event loop.
///
/// One task reads and one task writes at a time. Cancelling a task does not end its read or
/// write; `close()` does (see `closingOnCancel`).
@LoopActor package final class SocketStream: ByteStream {
  /// Who is at the other end of a Unix socket, as of `connect` or `listen`; `nil` for TCP.
  nonisolated package let peer: PeerCredentials?

  private var watch: Watch?
  private var reader = StreamWait()
  private var writer = StreamWait()
  private var input = Input.possible
  /// Whether the kernel's send buffer has room, as far as we know.
  private var watchesForRoom = false
  private var hungUp = false

  package var readDeadline: BootInstant? {
    didSet { reader.deadlineChanged(to: readDeadline) }
  }
  package var writeStallLimit: Duration?

  package var onHangUp: (@LoopActor () -> Void)? {
    didSet {
      guard hungUp, onHangUp != nil else { return }
      // Not at once: whoever sets it is not prepared to be called back yet.
      Task { tellHangUp() }
    }
  }

  /// The most that one read takes. One buffer serves all streams, so that an idle connection
  /// costs no memory.
  package static let largestRead = 65_536
  private static let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: largestRead, alignment: 16)

  /// - Throws: when the loop cannot watch it, the descriptor is closed.
  package init(adopting descriptor: consuming OwnedDescriptor) throws(SystemError) {
    peer = descriptor.withNumber { PeerCredentials(ofSocket: $0) }
    watch = try Watch(descriptor, for: Self.quiet) { [weak self] in self?.ready($0) }
  }

  isolated deinit { close() }

  /// Edge-triggered: one registration for the stream's life, no system call for each wait.
  private static let quiet: Interest = [.readable, .peerEnded, .onChange]
  private static let full: Interest = [.readable, .peerEnded, .writable, .onChange]

  /// What is known of the kernel's receive buffer, so that nobody asks it in vain.
  private enum Input {
    /// Taken empty; the next change will be told.
    case none
    case possible
    /// The peer has ended its side, and no more changes will be told: each read asks.
    case ending
  }

  // MARK: Reading

  package var onInput: (@LoopActor () -> Void)?
  package var mayHaveInput: Bool { input != .none }

  package func read(into buffer: inout [UInt8], limit: Int) async throws(StreamError) -> Int {
    while true {
      if let count = try readNow(into: &buffer, limit: limit) { return count }
      try await reader.wait(until: readDeadline)
    }
  }

  package func readNow(
    into bytes: inout [UInt8], limit: Int
  ) throws(StreamError) -> Int? {
    precondition(limit > 0)
    let limit = min(limit, Self.largestRead)
    let buffer = Self.buffer
    guard watch != nil else { throw .closed }
    if input == .none { return nil }
    while true {
      guard let count = watch?.withNumber({ recv($0, buffer.baseAddress, limit, 0) }) else {
        throw .closed
      }
      if count >= 0 {
        bytes.append(contentsOf: buffer[..<count])
        // Less than there was room for: that was all (epoll(7), question 9).
        if count > 0, count < limit, input == .possible { input = .none }
        // A token may have passed through; it does not stay here.
        if let start = buffer.baseAddress { explicit_bzero(start, count) }
        return count
      }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        if input == .possible { input = .none }
        return nil
      case let code: throw .system(SystemError(call: "recv", code: code))
      }
    }
  }

  // MARK: Writing

  package func write(_ bytes: [UInt8]) async throws(StreamError) {
    var sent = 0
    while sent < bytes.count {
      if let count = try send(bytes, from: sent) {
        sent += count
        continue
      }
      try watchForRoom(true)
      try await writer.wait(until: writeStallLimit.map { .now + $0 })
    }
    if watchesForRoom { try watchForRoom(false) }
  }

  package func writeNow(_ bytes: [UInt8]) throws(StreamError) -> Int {
    try send(bytes, from: 0) ?? 0
  }

  /// - Returns: `nil` when the kernel takes nothing now.
  private func send(_ bytes: [UInt8], from start: Int) throws(StreamError) -> Int? {
    while true {
      guard let count = watch?.withNumber({ Self.send(bytes, from: start, to: $0) }) else {
        throw .closed
      }
      if count >= 0 { return count }
      switch errno {
      case EINTR: continue
      case EAGAIN: return nil
      case let code: throw .system(SystemError(call: "send", code: code))
      }
    }
  }

  private nonisolated static func send(
    _ bytes: [UInt8], from start: Int, to number: CInt
  ) -> Int {
    bytes.withUnsafeBytes { bytes in
      let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
      return Glibc.send(number, rest.baseAddress, rest.count, CInt(MSG_NOSIGNAL))
    }
  }

  /// Room is watched only while a write waits for it: otherwise each answer that a client takes
  /// off a Unix socket would wake the loop for nothing.
  private func watchForRoom(_ wanted: Bool) throws(StreamError) {
    guard wanted != watchesForRoom else { return }
    do {
      try watch?.change(to: wanted ? Self.full : Self.quiet)
    } catch {
      throw .system(error)
    }
    watchesForRoom = wanted
  }

  /// For a socket whose `connect` was begun: returns when it is connected.
  func finishConnecting(until deadline: BootInstant?) async throws(StreamError) {
    try watchForRoom(true)
    while true {
      var code: CInt = 0
      var size = socklen_t(MemoryLayout<CInt>.size)
      let result = watch?.withNumber { getsockopt($0, SOL_SOCKET, SO_ERROR, &code, &size) }
      guard result != nil else { throw .closed }
      if code != 0 { throw .system(SystemError(call: "connect", code: code)) }
      if remoteAddress != nil { break }
      try await writer.wait(until: deadline)
    }
    try watchForRoom(false)
  }

  // MARK: Ends

  package func shutdownWrite() {
    // ENOTCONN: the peer has gone already, there is nobody to tell.
    _ = watch?.withNumber { Glibc.shutdown($0, CInt(SHUT_WR)) }
  }

  package func close() {
    guard let watch else { return }
    self.watch = nil
    watch.close()
    onHangUp = nil
    onInput = nil
    reader.end(with: .closed)
    writer.end(with: .closed)
  }

  private func ready(_ readiness: Readiness) {
    let over = !readiness.isDisjoint(with: [.hungUp, .failed])
    // The call that is tried next finds out what an end or an error means for it.
    if over || !readiness.isDisjoint(with: [.readable, .peerEnded]) {
      input = over || readiness.contains(.peerEnded) ? .ending : .possible
      if reader.isWaiting { reader.wake() } else { onInput?() }
    }
    if over || readiness.contains(.writable) { writer.wake() }
    if over && !hungUp {
      hungUp = true
      tellHangUp()
    }
  }

  private func tellHangUp() {
    let action = onHangUp
    onHangUp = nil
    action?()
  }

  // MARK: Addresses

  /// This end's address; `nil` once closed.
  package var localAddress: SocketAddress? { watch?.withNumber(SocketAddress.local(of:)) ?? nil }

  /// The other end's address; `nil` once it has gone.
  package var remoteAddress: SocketAddress? {
    watch?.withNumber(SocketAddress.remote(of:)) ?? nil
  }
}
