package import EventLoop

/// The body of an answer whose end is not known yet: a queue between who writes it and the
/// connection that sends it.
///
/// `send` never waits. A reader that is too slow for `HTTPLimits.streamQueue`, or takes nothing
/// for `HTTPLimits.writeStall`, loses its connection; nobody else waits for it.
@LoopActor package final class HTTPBodyStream {
  /// What keeps a silent stream open, and proves that the reader is there.
  package struct Heartbeat: Sendable {
    package let interval: Duration
    package let bytes: [UInt8]

    package init(every interval: Duration, bytes: [UInt8]) {
      self.interval = interval
      self.bytes = bytes
    }
  }

  /// Called once when the stream is over for any reason: finished, its reader gone or too slow,
  /// or the server stopped.
  package var onEnd: (@LoopActor () -> Void)? {
    didSet { if isOver { endOnce() } }
  }

  /// Nothing can be sent any more.
  package private(set) var isOver = false

  let heartbeat: Heartbeat?
  private let farewell: [UInt8]
  private var queue: [UInt8] = []
  private var queueLimit = HTTPLimits().streamQueue
  private var cut: (@LoopActor () -> Void)?
  private var waiter: CheckedContinuation<Void, Never>?

  /// - Parameter farewell: sent, whole, before the end when the server stops.
  package init(heartbeat: Heartbeat? = nil, farewell: [UInt8] = []) {
    self.heartbeat = heartbeat
    self.farewell = farewell
  }

  /// Queues bytes that belong together.
  ///
  /// - Returns: `false` when the stream is over, by this very call too if the queue is full.
  @discardableResult package func send(_ bytes: [UInt8]) -> Bool {
    guard !isOver else { return false }
    guard queue.count + bytes.count <= queueLimit else {
      abandon()
      return false
    }
    queue.append(contentsOf: bytes)
    wake()
    return true
  }

  /// Ends the body after what is queued.
  package func finish() {
    guard !isOver else { return }
    isOver = true
    wake()
    endOnce()
  }

  private func wake() {
    waiter?.resume()
    waiter = nil
  }

  private func endOnce() {
    let action = onEnd
    onEnd = nil
    action?()
  }

  /// Drops what is queued and cuts the connection.
  private func abandon() {
    queue = []
    cut?()
    finish()
  }
}
