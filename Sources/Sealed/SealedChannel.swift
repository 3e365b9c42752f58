import Crypto
import FoundationEssentials

/// Sends requests to one node so that only the node whose key is trusted can read them.
///
/// One session serves all requests, concurrent ones included. Nothing is ever sent in the clear,
/// whatever fails, and nothing is sent twice unless the node says that it did not run, or no byte
/// of it left this machine.
///
/// All its work is done on the executor of the actor that it is given. `close()` wipes the keys
/// at once; without it they go when the session's time is over.
package actor SealedChannel {
  // Held here, since an unowned executor does not keep its actor alive.
  private nonisolated let host: any Actor
  package nonisolated var unownedExecutor: UnownedSerialExecutor { host.unownedExecutor }

  let carrier: any Carrier
  let trust: KeyTrust
  let clock: SealedClock

  var session: SealedSession?
  /// The key that the last attestation proved.
  var attestedKey: X25519.PublicKey?
  var opening: Task<Void, Never>?
  var waiters: [UInt64: CheckedContinuation<Result<Void, SealedError>, Never>] = [:]
  var nextWaiter: UInt64 = 0
  /// Requests that are not answered yet.
  package private(set) var requestsUnderWay = 0
  private(set) var isClosed = false

  /// - Parameters:
  ///   - host: the actor on whose executor the channel runs.
  ///   - carrier: knows the node's base URL; closed together with the channel.
  package init(on host: any Actor, carrier: any Carrier, trust: KeyTrust, clock: SealedClock) {
    self.host = host
    self.carrier = carrier
    self.trust = trust
    self.clock = clock
  }

  /// Sends one request and answers what the node answered, whatever its status.
  ///
  /// Cancelling the task stops the transfer; whether the node ran the request is then not known.
  package func send(_ request: SealedRequest) async throws(SealedError) -> SealedResponse {
    let head = try request.head()
    guard requestsUnderWay < SealedLimits.requestsUnderWay else { throw .invalidRequest(.tooMany) }
    requestsUnderWay += 1
    defer { requestsUnderWay -= 1 }
    var rules = RetryRules()
    while true {
      let session = try await usableSession()
      do {
        return try await exchange(head, of: request, in: session)
      } catch {
        guard !isClosed else { throw .closed }
        guard let step = rules.step(after: error) else { throw error }
        switch step {
        case .again(let pause):
          try await wait(pause)
        case .newSession:
          drop(session)
        case .newAttestation:
          try forgetKey(session.transportKey)
          drop(session)
        }
      }
    }
  }

  /// Opens a session, unless one is open, and sends nothing in it.
  package func openSession() async throws(SealedError) { _ = try await usableSession() }

  /// Ends the session and wipes its keys. What is under way fails with `SealedError.closed`, and
  /// so does everything later.
  package func close() async {
    guard !isClosed else { return }
    isClosed = true
    session?.wipe()
    session = nil
    attestedKey = nil
    opening?.cancel()
    answerWaiters(.failure(.closed))
    await carrier.close()
  }

  /// Whether the keys of a session are in memory now.
  package var holdsKeys: Bool { session.map { !$0.isWiped } ?? false }

  private func exchange(
    _ head: SealedRequestHead, of request: SealedRequest, in session: SealedSession
  ) async throws(SealedError) -> SealedResponse {
    guard let (header, sealed) = session.begin(head, body: request.body, now: clock.now()) else {
      throw .closed
    }
    defer { session.finish() }
    let reply = try await post(
      CarrierRequest(
        path: SealedProtocol.exchangePath, contentType: SealedProtocol.contentType, body: sealed,
        replyLimit: SealedLimits.stream(body: request.responseLimit)))
    defer { reply.abandon() }
    try await requireSealed(reply)
    var reader = FrameReader(header: header, bodyLimit: request.responseLimit)
    while let piece = try await next(of: reply, tooLong: .flawed(.streamTooLong)) {
      let opened: Bool
      do { opened = try session.open(piece, into: &reader) } catch { throw .flawed(error) }
      guard opened else { throw .closed }
    }
    guard !isClosed else { throw .closed }
    let answer: (head: SealedResponseHead, body: [UInt8])
    do { answer = try reader.finish() } catch { throw .flawed(error) }
    guard !NodeRefusal.saysUnguarded(status: answer.head.status, body: answer.body) else {
      throw .routeUnguarded
    }
    return SealedResponse(
      status: answer.head.status, fields: answer.head.fields, body: answer.body,
      date: reply.head.date)
  }

  /// No more requests in `session`. When another request has replaced it already, that stays.
  func drop(_ session: SealedSession) {
    session.retire()
    if self.session === session { self.session = nil }
  }

  /// `key` is not the node's any more: the next session begins with an attestation, unless one
  /// has proved another key meanwhile.
  ///
  /// - Throws: when the configuration pins the key, so that there is no other to be had.
  func forgetKey(_ key: X25519.PublicKey?) throws(SealedError) {
    if case .pinned = trust { throw .untrusted(.pinnedKeyStale) }
    if attestedKey == key { attestedKey = nil }
  }
}

// MARK: - Transfers

extension SealedChannel {
  /// Posts, with one more connection if the first failed before a byte left.
  func post(_ request: CarrierRequest) async throws(SealedError) -> any CarrierReply {
    do {
      return try await carrier.post(request)
    } catch {
      guard error.isWorthOneMoreConnection, !isClosed else { throw SealedError(error) }
    }
    do { return try await carrier.post(request) } catch { throw SealedError(error) }
  }

  func next(
    of reply: any CarrierReply, tooLong: SealedError
  ) async throws(SealedError) -> [UInt8]? {
    do {
      return try await reply.next()
    } catch {
      throw error.reason == .replyTooLong ? tooLong : SealedError(error)
    }
  }

  /// The whole body, which has at most `limit` bytes.
  func body(
    of reply: any CarrierReply, limit: Int, tooLong: SealedError
  ) async throws(SealedError) -> [UInt8] {
    var body: [UInt8] = []
    while let piece = try await next(of: reply, tooLong: tooLong) {
      guard piece.count <= limit - body.count else { throw tooLong }
      body += piece
    }
    return body
  }

  /// Goes on only for a 200 with the sealed content type.
  func requireSealed(_ reply: any CarrierReply) async throws(SealedError) {
    try await requireSuccess(reply)
    guard SealedProtocol.isSealed(contentType: reply.head.contentType) else {
      throw .flawed(.notSealed)
    }
  }

  /// Goes on only for a 200.
  ///
  /// - Throws: `SealedError.refused` for a node's refusal, `.foreignReply` for any other page.
  func requireSuccess(_ reply: any CarrierReply) async throws(SealedError) {
    let status = reply.head.status
    guard status != 200 else { return }
    let foreign = SealedError.foreignReply(status: status)
    let text: [UInt8]
    do {
      text = try await body(of: reply, limit: SealedLimits.refusal, tooLong: foreign)
    } catch {
      // What can be said of a page that broke off is its status.
      guard case .unreachable = error else { throw error }
      throw foreign
    }
    guard let refusal = NodeRefusal(head: reply.head, body: text) else { throw foreign }
    throw .refused(refusal)
  }

  func wait(_ pause: Duration) async throws(SealedError) {
    do { try await clock.sleep(pause) } catch { throw isClosed ? .closed : .cancelled }
    guard !isClosed else { throw .closed }
  }
}
