import EventLoop

/// One end of a pair of streams in memory, with the ends and limits of a socket.
@LoopActor final class MemoryStream: ByteStream {
  private var peer: MemoryStream?
  private var inbox: [UInt8] = []
  private let capacity: Int
  private var peerEnded = false
  private var isClosed = false
  private let reader = Waiter()
  private let writer = Waiter()

  var readDeadline: BootInstant?
  var writeStallLimit: Duration?
  var onHangUp: (@LoopActor () -> Void)?
  var onInput: (@LoopActor () -> Void)?
  var mayHaveInput: Bool { !inbox.isEmpty || peerEnded || isClosed }
  /// How often this end was written to, for tests that count.
  private(set) var writes = 0

  private init(capacity: Int) { self.capacity = capacity }

  /// - Parameter capacity: bytes that each end holds before writes to it wait.
  static func pair(capacity: Int = 1 << 20) -> (client: MemoryStream, server: MemoryStream) {
    let client = MemoryStream(capacity: capacity)
    let server = MemoryStream(capacity: capacity)
    client.peer = server
    server.peer = client
    return (client, server)
  }

  func read(into buffer: inout [UInt8], limit: Int) async throws(StreamError) -> Int {
    while true {
      if let count = try readNow(into: &buffer, limit: limit) { return count }
      guard await reader.wait(until: readDeadline) else { throw .timedOut }
    }
  }

  func readNow(into buffer: inout [UInt8], limit: Int) throws(StreamError) -> Int? {
    if inbox.isEmpty {
      if isClosed { throw .closed }
      return peerEnded ? 0 : nil
    }
    let piece = inbox.prefix(limit)
    buffer.append(contentsOf: piece)
    inbox.removeFirst(piece.count)
    peer?.writer.wake()
    return piece.count
  }

  func write(_ bytes: [UInt8]) async throws(StreamError) {
    writes += 1
    var rest = bytes[...]
    while !rest.isEmpty {
      guard !isClosed, let peer, !peer.isClosed else { throw .closed }
      let room = peer.capacity - peer.inbox.count
      if room > 0 {
        peer.take(rest.prefix(room))
        rest = rest.dropFirst(room)
      } else {
        guard await writer.wait(until: writeStallLimit.map { .now + $0 }) else { throw .timedOut }
      }
    }
  }

  func writeNow(_ bytes: [UInt8]) throws(StreamError) -> Int {
    writes += 1
    guard !isClosed, let peer, !peer.isClosed else { throw .closed }
    let piece = bytes.prefix(peer.capacity - peer.inbox.count)
    peer.take(piece)
    return piece.count
  }

  private func take(_ bytes: ArraySlice<UInt8>) {
    inbox.append(contentsOf: bytes)
    inputCame()
  }

  /// Told later, as a loop does: whoever writes is not called back meanwhile.
  private func inputCame() {
    reader.wake()
    guard let onInput else { return }
    Task { onInput() }
  }

  func shutdownWrite() {
    peer?.peerEnded = true
    peer?.inputCame()
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    onHangUp = nil
    onInput = nil
    reader.wake()
    writer.wake()
    guard let peer else { return }
    self.peer = nil
    peer.peerEnded = true
    peer.inputCame()
    peer.writer.wake()
    let hangUp = peer.onHangUp
    peer.onHangUp = nil
    hangUp?()
  }
}

/// One task that waits, until it is woken or its time is up.
@LoopActor private final class Waiter {
  private var continuation: UnsafeContinuation<Bool, Never>?
  private let timer = LoopTimer()

  func wait(until deadline: BootInstant?) async -> Bool {
    await withUnsafeContinuation {
      continuation = $0
      if let deadline { timer.arm(at: deadline) { self.end(true: false) } }
    }
  }

  func wake() { end(true: true) }

  private func end(true woken: Bool) {
    timer.disarm()
    continuation?.resume(returning: woken)
    continuation = nil
  }
}
