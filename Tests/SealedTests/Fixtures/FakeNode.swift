import Crypto
import FoundationEssentials
import Sealed

/// A node in memory, with a real responder: it answers well unless a test tells it how not to.
actor FakeNode: Carrier {
  enum Call: Hashable { case attest, handshake, exchange }

  /// What the node does with one call, in place of answering it well.
  enum Turn: Sendable {
    case well
    case refuse(NodeRefusal.Code, retryAfter: String? = nil)
    case say(status: Int, contentType: String?, body: [UInt8])
    case fail(CarrierError)
    /// The right body, changed, and perhaps an end before its time.
    case spoil(@Sendable ([UInt8]) -> [UInt8], ending: CarrierError? = nil)
    /// The right body under another content type.
    case mislabel(String?)
    /// An exchange whose frames the test writes.
    case frames(@Sendable (inout FrameWriter, inout AES256GCM.Sealer) -> [UInt8])
    /// An exchange that is answered with this.
    case answer(SealedResponseHead, [UInt8])
    /// Waits until the test lets it go on, then answers well.
    case hold
    /// Drops every session first, so that an exchange finds its own unknown.
    case forget
  }

  struct Seen: Sendable {
    let requestID: UInt64
    let sessionID: [UInt8]
    let head: SealedRequestHead
    let body: [UInt8]
  }

  private final class Session {
    let keys: SessionKeys
    init(_ keys: consuming SessionKeys) { self.keys = keys }
  }

  private(set) var key = X25519.PrivateKey()
  var lifetime: UInt32 = 3600
  var pieceSize = 50
  private var beforeEnd: (@Sendable () async -> Void)?

  private var turns: [Call: [Turn]] = [:]
  private var sessions: [[UInt8]: Session] = [:]
  private(set) var posts: [CarrierRequest] = []
  /// Requests that were opened: those that a real node would have run.
  private(set) var ran: [Seen] = []
  private(set) var replies: [FakeReply] = []
  private(set) var isClosed = false
  private var held: [CheckedContinuation<Void, Never>] = []
  private var holdWatchers: [(count: Int, waiter: CheckedContinuation<Void, Never>)] = []

  // MARK: What a test says

  /// The next calls of that kind, in order; those after them are answered well.
  func next(_ call: Call, _ turns: Turn...) { self.turns[call, default: []] += turns }

  func setLifetime(_ seconds: UInt32) { lifetime = seconds }
  func setPieceSize(_ size: Int) { pieceSize = size }
  func whileEndsAreWaitedFor(_ happens: (@Sendable () async -> Void)?) { beforeEnd = happens }

  /// As after a restart: another key, no sessions.
  func restart() {
    key = X25519.PrivateKey()
    sessions = [:]
  }

  func forgetKeys() { sessions = [:] }

  /// How to find the keys of the sessions in memory; the node's own copies are wiped with this.
  func takeScans() -> [MemoryScan] {
    defer { sessions = [:] }
    return sessions.values.flatMap {
      [MemoryScan(for: $0.keys.request), MemoryScan(for: $0.keys.response)]
    }
  }

  var transportKey: X25519.PublicKey { key.publicKey }

  func count(_ call: Call) -> Int { posts.filter { Self.call($0.path) == call }.count }

  /// Returns once that many calls are held.
  func untilHeld(_ count: Int) async {
    guard held.count < count else { return }
    await withCheckedContinuation { holdWatchers.append((count, $0)) }
  }

  func release() {
    let waiting = held
    held = []
    for waiter in waiting { waiter.resume() }
  }

  // MARK: Carrier

  func post(_ request: CarrierRequest) async throws(CarrierError) -> any CarrierReply {
    guard !isClosed else { throw CarrierError(.closed, requestMayHaveLeft: false) }
    posts.append(request)
    let call = Self.call(request.path)
    var turn = Turn.well
    if let scripted = turns[call]?.first {
      turn = scripted
      turns[call]?.removeFirst()
    }
    if case .hold = turn {
      await wait()
      guard !isClosed else { throw CarrierError(.closed, requestMayHaveLeft: true) }
      guard !Task.isCancelled else { throw CarrierError(.cancelled, requestMayHaveLeft: true) }
    }
    if case .fail(let error) = turn { throw error }
    let reply = reply(to: request, call, turn)
    replies.append(reply)
    return reply
  }

  func close() {
    isClosed = true
    release()
  }

  private func wait() async {
    await withCheckedContinuation { waiter in
      held.append(waiter)
      let count = held.count
      for watcher in holdWatchers where watcher.count <= count { watcher.waiter.resume() }
      holdWatchers.removeAll { $0.count <= count }
    }
  }

  private static func call(_ path: String) -> Call {
    switch path {
    case "/admin-api/tee/attest": .attest
    case "/sealed/v2/handshake": .handshake
    default: .exchange
    }
  }

  // MARK: Answers

  private func reply(to request: CarrierRequest, _ call: Call, _ turn: Turn) -> FakeReply {
    let type = call == .attest ? "application/json" : SealedProtocol.contentType
    switch turn {
    case .refuse(let code, let retryAfter):
      return plain(code, retryAfter: retryAfter, limit: request.replyLimit)
    case .say(let status, let contentType, let body):
      return fake(
        CarrierReplyHead(status: status, contentType: contentType), body, request.replyLimit)
    case .forget:
      sessions = [:]
    case .well, .fail, .spoil, .mislabel, .frames, .answer, .hold:
      break
    }
    let good: [UInt8]
    do {
      good = try body(of: request, call, turn)
    } catch {
      return plain(error, limit: request.replyLimit)
    }
    let head = CarrierReplyHead(
      status: 200, contentType: type, date: "Tue, 01 Jan 2030 00:00:00 GMT")
    switch turn {
    case .spoil(let change, let ending):
      return fake(head, change(good), request.replyLimit, ending: ending)
    case .mislabel(let type):
      return fake(CarrierReplyHead(status: 200, contentType: type), good, request.replyLimit)
    case .well, .refuse, .say, .fail, .frames, .answer, .hold, .forget:
      return fake(head, good, request.replyLimit)
    }
  }

  private func plain(
    _ code: NodeRefusal.Code, retryAfter: String? = nil, limit: Int
  ) -> FakeReply {
    fake(
      CarrierReplyHead(
        status: code.status, contentType: "application/json", retryAfter: retryAfter),
      NodeRefusal(code).body(message: "No."), limit)
  }

  private func fake(
    _ head: CarrierReplyHead, _ body: [UInt8], _ limit: Int, ending: CarrierError? = nil
  ) -> FakeReply {
    let pieces = stride(from: 0, to: body.count, by: pieceSize).map { start in
      Array(body[start..<min(start + pieceSize, body.count)])
    }
    return FakeReply(head, pieces: pieces, ending: ending, limit: limit, beforeEnd: beforeEnd)
  }

  private func body(
    of request: CarrierRequest, _ call: Call, _ turn: Turn
  ) throws(NodeRefusal.Code) -> [UInt8] {
    switch call {
    case .attest: return attestation(request.body)
    case .handshake: return try handshake(request.body)
    case .exchange: return try exchange(request.body, turn)
    }
  }

  private func attestation(_ body: [UInt8]) -> [UInt8] {
    struct Ask: Decodable { let nonce: String }
    let nonce = (try? JSONDecoder().decode(Ask.self, from: Data(body)))?.nonce ?? ""
    let quote = TransportBinding.reportData(nonce: Hex.decode(nonce) ?? [], key: transportKey)
    return Array(
      """
      {"data":{"quoteB64":"\(Base64.encode(quote))","quote":{"lies":true},\
      "transportPublicKey":"\(Hex.encode(transportKey.bytes))","collateral":{}}}
      """.utf8)
  }

  private func handshake(_ body: [UInt8]) throws(NodeRefusal.Code) -> [UInt8] {
    let sessionID = SecureRandom.bytes(count: 16)
    let accepted = try NodeHandshake(request: body, key: key)
      .accept(sessionID: sessionID, lifetime: lifetime)
    let reply = accepted.reply
    sessions[sessionID] = Session(accepted.takeKeys())
    return reply
  }

  private func exchange(_ body: [UInt8], _ turn: Turn) throws(NodeRefusal.Code) -> [UInt8] {
    let header = try RequestEnvelope.Header(of: body)
    guard let session = sessions[header.sessionID] else { throw .unknownSession }
    var opener = AES256GCM.Opener(key: session.keys.request)
    let inner = try RequestEnvelope.openInner(body, header: header, with: &opener)
    let (head, content) = try RequestEnvelope.parse(inner)
    ran.append(
      Seen(
        requestID: header.requestID, sessionID: header.sessionID, head: head, body: content))
    var sealer = AES256GCM.Sealer(key: session.keys.response)
    var writer = FrameWriter(header: header)
    switch turn {
    case .frames(let write):
      return write(&writer, &sealer)
    case .answer(let head, let body):
      return writer.head(head, with: &sealer) + writer.body(body, with: &sealer)
        + writer.end(with: &sealer)
    case .well, .refuse, .say, .fail, .spoil, .mislabel, .hold, .forget:
      // The path comes back, so that a test sees whose answer it has.
      return writer.head(SealedResponseHead(status: 200, fields: []), with: &sealer)
        + writer.body(Array(head.path.utf8), with: &sealer) + writer.end(with: &sealer)
    }
  }
}
