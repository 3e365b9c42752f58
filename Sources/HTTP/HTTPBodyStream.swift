package import EventLoop

/// The body of an answer whose end is not known yet: a queue between who writes it and the
/// connection that sends it.
///
/// `send` never waits. A reader that is too slow for `HTTPLimits.streamQueue`, takes nothing for
/// `HTTPLimits.writeStall`, or is the slowest when `HTTPLimits.answerBytes` are out, loses its
/// connection; nobody else waits for it.
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
    didSet { if isOver, onEnd != nil { callOnEnd() } }
  }

  /// Nothing can be sent any more.
  package private(set) var isOver = false

  private let heartbeat: Heartbeat?
  private let farewell: [UInt8]
  private let timer = LoopTimer()
  private var queue: [UInt8] = []
  private var queueLimit = HTTPLimits().streamQueue
  /// What the connection has taken and the client has not.
  private var inFlight = 0
  private var hasRoom: (@LoopActor (_ queued: Int, _ inFlight: Int) -> Bool)?
  /// The body broke off: what is sent must not look like its end.
  private var isBroken = false
  private var waiter: UnsafeContinuation<Void, Never>?
  private var roomWaiters: [UnsafeContinuation<Void, Never>] = []
  private var onBreak: (@LoopActor () -> Void)?

  /// - Parameter farewell: sent, whole, before the end when the server stops.
  package init(heartbeat: Heartbeat? = nil, farewell: [UInt8] = []) {
    self.heartbeat = heartbeat
    self.farewell = farewell
  }

  // MARK: Who writes it

  /// Queues bytes that belong together.
  ///
  /// - Returns: `false` when the stream is over, by this very call too if the queue is full.
  @discardableResult package func send(_ bytes: [UInt8]) -> Bool {
    guard !isOver else { return false }
    let count = queue.count + bytes.count
    guard count <= queueLimit, hasRoom?(count, inFlight) ?? true else {
      breakOff()
      return false
    }
    queue.append(contentsOf: bytes)
    wake()
    return true
  }

  /// Returns when half of the queue is free, or the stream is over: for a writer that has much to
  /// say at once, and a reader that is not slow but needs its time.
  package func room() async {
    while queue.count > queueLimit / 2 && !isOver {
      await withUnsafeContinuation { roomWaiters.append($0) }
    }
  }

  /// Ends the body after what is queued.
  package func finish() {
    guard !isOver else { return }
    isOver = true
    wake()
    wakeRoomWaiters()
    callOnEnd()
  }

  /// Drops what is queued and cuts the connection, so that the reader does not take what it has
  /// for the whole.
  package func breakOff() {
    queue = []
    isBroken = true
    finish()
    let action = onBreak
    onBreak = nil
    action?()
  }

  // MARK: The connection that sends it

  /// - Parameters:
  ///   - hasRoom: told how many bytes are queued, and how many are with the connection.
  ///   - onBreak: cuts the connection.
  func attach(
    queueLimit: Int, hasRoom: @escaping @LoopActor (_ queued: Int, _ inFlight: Int) -> Bool,
    onBreak: @escaping @LoopActor () -> Void
  ) {
    self.queueLimit = queueLimit
    guard !isBroken, hasRoom(queue.count, 0) else { return onBreak() }
    self.hasRoom = hasRoom
    self.onBreak = onBreak
  }

  /// What is queued, as soon as anything is; `nil` at the end.
  ///
  /// - Throws: `.closed` when the body broke off.
  func next() async throws(StreamError) -> [UInt8]? {
    inFlight = 0
    _ = hasRoom?(queue.count, 0)
    while queue.isEmpty && !isOver {
      if let heartbeat {
        timer.arm(after: heartbeat.interval) { [weak self] in self?.beat(heartbeat) }
      }
      await withUnsafeContinuation { waiter = $0 }
    }
    timer.disarm()
    if isBroken { throw .closed }
    guard !queue.isEmpty else { return nil }
    let piece = queue
    queue = []
    // Itself and the chunk that is made of it.
    inFlight = 2 * piece.count
    wakeRoomWaiters()
    return piece
  }

  /// The connection has ended, and with it the stream, whoever ended it.
  func detach() {
    onBreak = nil
    hasRoom = nil
    queue = []
    finish()
  }

  /// The server stops: the reader is told, and the stream ends.
  func stop() {
    guard !isOver else { return }
    queue.append(contentsOf: farewell)
    finish()
  }

  private func beat(_ heartbeat: Heartbeat) {
    if queue.isEmpty && !isOver { queue.append(contentsOf: heartbeat.bytes) }
    wake()
  }

  private func wake() {
    waiter?.resume()
    waiter = nil
  }

  private func wakeRoomWaiters() {
    let waiters = roomWaiters
    roomWaiters = []
    for waiter in waiters { waiter.resume() }
  }

  private func callOnEnd() {
    let action = onEnd
    onEnd = nil
    action?()
  }
}
