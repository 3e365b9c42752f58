package import EventLoop

/// A connection on whose way the next answer may come to harm.
@LoopActor package final class WireStream: ByteStream {
  /// What happens to an answer between the server and its client.
  package enum Fate: Sendable, Equatable {
    case arrives
    /// The connection ends without a byte of the answer.
    case cutBeforeHead
    /// The connection ends after the head and half of a body of this many bytes.
    case cutInBody(length: Int)
    /// One byte at a time, with a pause after each.
    case drips(Duration)
  }

  /// Of the answer that is written next.
  package var fate = Fate.arrives
  private let stream: any ByteStream
  private var headIsOut = false

  package init(_ stream: any ByteStream) { self.stream = stream }

  package func write(_ bytes: [UInt8]) async throws(StreamError) {
    switch fate {
    case .arrives:
      try await stream.write(bytes)
    case .cutBeforeHead:
      stream.close()
      throw .closed
    case .cutInBody(let length):
      try await write(bytes, cuttingAfter: length / 2)
    case .drips(let pause):
      for byte in bytes {
        try await stream.write([byte])
        do { try await LoopActor.sleep(for: pause) } catch { throw .closed }
      }
    }
  }

  /// The server writes a head whole, and a body with it or after it.
  private func write(
    _ bytes: [UInt8], cuttingAfter half: Int
  ) async throws(StreamError) {
    let bodyStart =
      headIsOut ? 0 : bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound ?? bytes.count
    headIsOut = true
    try await stream.write(Array(bytes.prefix(bodyStart + half)))
    guard bodyStart < bytes.count else { return }
    // What is written has to reach the client; only the rest must not.
    stream.shutdownWrite()
    throw .closed
  }

  /// Returns when the client has ended its side or is gone. What it still sends is dropped.
  func untilClientLeaves() async {
    stream.readDeadline = nil
    var dropped: [UInt8] = []
    while let count = try? await stream.read(into: &dropped, limit: 4096), count > 0 {
      dropped.removeAll(keepingCapacity: true)
    }
  }

  package func read(into buffer: inout [UInt8], limit: Int) async throws(StreamError) -> Int {
    try await stream.read(into: &buffer, limit: limit)
  }

  package func readNow(
    into buffer: inout [UInt8], limit: Int
  ) throws(StreamError) -> Int? { try stream.readNow(into: &buffer, limit: limit) }

  package var mayHaveInput: Bool { stream.mayHaveInput }

  /// What comes to harm does so in `write`.
  package func writeNow(_ bytes: [UInt8]) throws(StreamError) -> Int {
    fate == .arrives ? try stream.writeNow(bytes) : 0
  }

  package func shutdownWrite() { stream.shutdownWrite() }

  package func close() { stream.close() }

  package var readDeadline: BootInstant? {
    get { stream.readDeadline }
    set { stream.readDeadline = newValue }
  }

  package var writeStallLimit: Duration? {
    get { stream.writeStallLimit }
    set { stream.writeStallLimit = newValue }
  }

  package var onInput: (@LoopActor () -> Void)? {
    get { stream.onInput }
    set { stream.onInput = newValue }
  }

  package var onHangUp: (@LoopActor () -> Void)? {
    get { stream.onHangUp }
    set { stream.onHangUp = newValue }
  }
}
