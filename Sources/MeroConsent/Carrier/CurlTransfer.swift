import CCurl
import EventLoop
import Sealed

/// One POST, from its options to the last byte of its answer.
///
/// libcurl's callbacks only note what they are told; whoever waits looks at it afterwards, as a
/// job of its own. So nothing that a waiter does happens inside a call of libcurl.
@LoopActor final class CurlTransfer {
  private let multi: CurlMulti
  /// `nil` when the transfer is over.
  private var easy: CurlEasy?
  private let callTimer = LoopTimer()
  private let replyLimit: Int
  private let usesTLS: Bool
  /// What its answer takes, until whoever reads it lets go of the transfer.
  private let room: ReplyRoom

  private var reader = ReplyHeadReader()
  private var head: CarrierReplyHead?
  /// What of the body is here and not asked for yet.
  private var unread: [UInt8] = []
  private var bodyBytes = 0
  private var isPaused = false
  private var hasEnded = false
  /// Why the transfer failed: set by whoever finds out first.
  private var failure: CarrierError?
  private var waiter: UnsafeContinuation<Void, Never>?

  /// libcurl was about to send the request: from here on bytes of it may have left.
  private(set) var mayHaveLeft = false
  /// Called once, when it is over: with `true` when it failed on a kept connection, which makes
  /// the others doubtful too (the network has changed).
  var onEnd: (@LoopActor (Bool) -> Void)?

  init(
    _ multi: CurlMulti, _ easy: consuming CurlEasy, replyLimit: Int, usesTLS: Bool, room: ReplyRoom
  ) {
    self.multi = multi
    self.easy = consume easy
    self.replyLimit = replyLimit
    self.usesTLS = usesTLS
    self.room = room
  }

  isolated deinit { room.release() }

  /// - Parameter looksUpName: whether the node's address has a name that has to be looked up.
  func start(callLimit: Duration, looksUpName: Bool) throws(CurlFailure) {
    guard let handle = easy?.handle else { return }
    let me = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    try easy?.set(CURLOPT_HEADERDATA, me)
    try easy?.set(CURLOPT_HEADERFUNCTION, headerArrived)
    try easy?.set(CURLOPT_WRITEDATA, me)
    try easy?.set(CURLOPT_WRITEFUNCTION, bodyArrived)
    try easy?.set(CURLOPT_PREREQDATA, me)
    try CurlEasy.check(ccurl_set_prerequest(handle, requestIsNext))
    if looksUpName {
      try easy?.set(CURLOPT_RESOLVER_START_DATA, me)
      try CurlEasy.check(ccurl_set_resolver_start(handle, lookupIsNext))
    }
    room.onGivingWay = { [weak self] in self?.giveWay() }
    try multi.add(self, handle)
    // Ours and not libcurl's: it counts suspended time, and the wait for a free connection.
    callTimer.arm(after: callLimit) { [weak self] in
      self?.stop(.timedOut, "no whole answer within \(callLimit)")
    }
  }

  // MARK: For whoever waits

  /// Returns when the status and the headers are in.
  func waitForHead() async throws(CarrierError) -> CarrierReplyHead {
    try await stoppingOnCancel { () throws(CarrierError) in
      if let head { return head }
      if let failure { throw failure }
      return nil
    }
  }

  /// - Returns: `nil` after the last byte.
  func next() async throws(CarrierError) -> [UInt8]? {
    let piece = try await stoppingOnCancel { () throws(CarrierError) -> [UInt8]? in
      if let failure, failure.reason == .cancelled || failure.reason == .closed { throw failure }
      if !unread.isEmpty { return takeUnread() }
      if let failure { throw failure }
      return hasEnded ? [] : nil
    }
    return piece.isEmpty ? nil : piece
  }

  /// Ends it, unless it has ended.
  func stop(_ reason: CarrierError.Reason, _ detail: String = "") {
    guard easy != nil else { return }
    fail(reason, detail)
    finish()
  }

  /// Others need its room. Perhaps within a call of libcurl, so it ends a little later.
  private func giveWay() {
    fail(.cut, Self.tooMuch)
    Task { finish() }
  }

  private static let tooMuch = "the answers of all nodes took too much memory"

  private func takeUnread() -> [UInt8] {
    let piece = unread
    unread = []
    if isPaused {
      isPaused = false
      easy?.goOn()
    }
    return piece
  }

  /// Waits until `look` finds something. A cancelled task ends the transfer.
  private func stoppingOnCancel<Found>(
    _ look: @LoopActor () throws(CarrierError) -> Found?
  ) async throws(CarrierError) -> Found {
    let result: Result<Found, CarrierError> = await withTaskCancellationHandler {
      if Task.isCancelled { stop(.cancelled, Self.cancelled) }
      do throws(CarrierError) {
        while true {
          // Between this look and the wait nothing else runs on the loop. It does between the
          // call of `withTaskCancellationHandler` and its first line, so that is further out.
          if let found = try look() { return .success(found) }
          await withUnsafeContinuation { continuation in
            precondition(waiter == nil, "one task reads an answer")
            waiter = continuation
          }
        }
      } catch {
        return .failure(error)
      }
    } onCancel: {
      Task { @LoopActor in self.stop(.cancelled, Self.cancelled) }
    }
    return try result.get()
  }

  private static let cancelled = "the task was cancelled"

  private func wake() {
    waiter?.resume()
    waiter = nil
  }

  // MARK: The end

  /// libcurl is done with it.
  func ended(_ code: CURLcode) {
    if code == CURLE_OK {
      endedWell()
    } else if let (reason, detail) = easy?.failure(of: code, mayHaveLeft: mayHaveLeft) {
      fail(!mayHaveLeft && OpenFilesLimit.isExhausted ? .exhausted : reason, detail)
    }
    finish()
  }

  private func endedWell() {
    guard let head else { return fail(.notHTTP, "no header") }
    let marksItsEnd = reader.isChunked || easy?.contentLength() != nil
    // Such a body ends with the connection. Over TLS an end without the closing alert may be
    // anybody's, and this libcurl does not tell it from a true one (C-158).
    if usesTLS && !marksItsEnd && head.status != 204 && head.status != 304 {
      fail(.cut, "the answer does not say where it ends")
    } else {
      hasEnded = true
    }
  }

  /// The first reason stays: what libcurl says about a transfer that we ended is an echo.
  private func fail(_ reason: CarrierError.Reason, _ detail: String) {
    guard failure == nil, !hasEnded else { return }
    failure = CarrierError(reason, requestMayHaveLeft: mayHaveLeft, detail: detail)
  }

  private func finish() {
    guard let handle = easy?.handle else { return }
    callTimer.disarm()
    let keptConnection = easy?.usedKeptConnection() ?? false
    multi.remove(handle)
    easy = nil
    let broke = failure?.reason == .cut || failure?.reason == .timedOut
    onEnd?(keptConnection && broke)
    onEnd = nil
    wake()
  }

  // MARK: Callbacks

  /// - Returns: 0 for a lookup that may begin.
  fileprivate func lookupStarts() -> CInt {
    guard NameLookups.areTooMany else { return 0 }
    fail(.nameNotFound, "too many names are being looked up, and are not found")
    return 1
  }

  fileprivate func requestStarts() -> CInt {
    // The second time libcurl would repeat the request on a new connection, as the kept one
    // broke without an answer. Bytes of it may have left, so that is not its decision.
    if mayHaveLeft {
      fail(.cut, "the kept connection broke during the request")
      return CURL_PREREQFUNC_ABORT
    }
    mayHaveLeft = true
    return CURL_PREREQFUNC_OK
  }

  /// - Returns: how many bytes were taken; fewer end the transfer.
  fileprivate func header(_ line: UnsafeRawBufferPointer) -> Int {
    // Trailers of a chunked body.
    if head != nil { return line.count }
    switch reader.take(line) {
    case .more: return line.count
    case .refused(let why):
      fail(.notHTTP, why)
      return 0
    case .whole(let head):
      self.head = head
      wake()
      guard let length = easy?.contentLength(), length > Int64(replyLimit) else {
        return line.count
      }
      fail(.replyTooLong, "announces \(length) bytes, the limit is \(replyLimit)")
      return 0
    }
  }

  /// - Returns: how many bytes were taken; fewer end the transfer.
  fileprivate func body(_ bytes: UnsafeRawBufferPointer) -> Int {
    // It has given way.
    guard failure == nil else { return 0 }
    guard bodyBytes + bytes.count <= replyLimit else {
      fail(.replyTooLong, "more than \(replyLimit) bytes")
      return 0
    }
    if !unread.isEmpty && unread.count + bytes.count > CarrierLimits.unreadBytes {
      // libcurl brings these bytes again when it goes on.
      isPaused = true
      return Int(CURL_WRITEFUNC_PAUSE)
    }
    guard room.hold(bodyBytes + bytes.count) else {
      fail(.cut, Self.tooMuch)
      return 0
    }
    bodyBytes += bytes.count
    unread.append(contentsOf: bytes)
    wake()
    return bytes.count
  }
}

private func lookupIsNext(
  _ state: UnsafeMutableRawPointer?, _ unused: UnsafeMutableRawPointer?,
  _ me: UnsafeMutableRawPointer?
) -> CInt {
  onLoop(CurlTransfer.self, me) { $0.lookupStarts() } ?? 1
}

private func requestIsNext(
  _ me: UnsafeMutableRawPointer?, _ remote: UnsafeMutablePointer<CChar>?,
  _ local: UnsafeMutablePointer<CChar>?, _ remotePort: CInt, _ localPort: CInt
) -> CInt {
  onLoop(CurlTransfer.self, me) { $0.requestStarts() } ?? CURL_PREREQFUNC_ABORT
}

private func headerArrived(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ me: UnsafeMutableRawPointer?
) -> Int {
  // libcurl's `size` is always 1.
  nonisolated(unsafe) let line = UnsafeRawBufferPointer(start: bytes, count: count)
  return onLoop(CurlTransfer.self, me) { $0.header(line) } ?? 0
}

private func bodyArrived(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ me: UnsafeMutableRawPointer?
) -> Int {
  nonisolated(unsafe) let piece = UnsafeRawBufferPointer(start: bytes, count: count)
  return onLoop(CurlTransfer.self, me) { $0.body(piece) } ?? 0
}
