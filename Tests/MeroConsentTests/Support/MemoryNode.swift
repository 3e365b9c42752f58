import Crypto
import DevelopmentNode
import EventLoop
import FoundationEssentials
import MeroConsent
import Sealed
import TestPKI

/// A node in memory behind the real sealed transport: what the carrier is given is opened by the
/// node's side of it, and what it answers was sealed there. A test writes the API's answers, and
/// may spoil what goes over the wire.
@LoopActor final class MemoryNode: Carrier {
  /// What the node answers inside of the envelope.
  typealias API = @Sendable (APIRequest) -> APIAnswer
  /// What goes over the wire instead of the node's answer; `nil` for the answer as it is.
  typealias Spoiler =
    @Sendable (_ path: String, _ answer: WireAnswer) throws(CarrierError) ->
    WireAnswer?

  struct WireAnswer: Sendable {
    var head: CarrierReplyHead
    var body: [UInt8]
  }

  nonisolated let api: API
  private lazy var node = Box()
  private let spoil: Spoiler
  private let quote: Quote
  private(set) var posts: [CarrierRequest] = []
  private(set) var isClosed = false

  /// How the node proves what it is.
  enum Quote: Sendable {
    case mock
    /// Of a machine that is certified by the tests' own root.
    case tdx(TestPKI, root: [UInt8])
    case bytes([UInt8])
  }

  /// Made at first use, on the loop: what seals may not be sent there.
  private final class Box {
    var sealing = NodeSealing()
  }

  nonisolated init(
    quote: Quote = .mock, api: @escaping API, spoil: @escaping Spoiler = { _, _ in nil }
  ) {
    self.quote = quote
    self.api = api
    self.spoil = spoil
  }

  var transportKey: String { Hex.encode(node.sealing.transportKey) }
  var paths: [String] { posts.map(\.path) }

  /// As after a restart: another transport key, no session.
  func restart() { node.sealing = NodeSealing() }

  func forgetSessions() { node.sealing.forgetSessions() }

  @LoopActor func post(_ request: CarrierRequest) async throws(CarrierError) -> any CarrierReply {
    guard !isClosed else { throw CarrierError(.closed, requestMayHaveLeft: false) }
    posts.append(request)
    let answer = try self.answer(request)
    return MemoryReply(try spoil(request.path, answer) ?? answer, limit: request.replyLimit)
  }

  @LoopActor func close() async { isClosed = true }

  private func answer(_ request: CarrierRequest) throws(CarrierError) -> WireAnswer {
    switch request.path {
    case "/admin-api/tee/attest": return attest(request.body)
    case "/sealed/v2/handshake":
      do throws(SealingRefusal) {
        return .sealed(try node.sealing.handshake(request.body, at: .now))
      } catch { return .refusal(error) }
    case "/sealed/v2":
      do throws(SealingRefusal) {
        var exchange = try node.sealing.open(request.body, at: .now)
        return .sealed(Self.seal(api(exchange.request), in: &exchange))
      } catch { return .refusal(error) }
    default: return WireAnswer(head: CarrierReplyHead(status: 404), body: [])
    }
  }

  private static func seal(_ answer: APIAnswer, in exchange: inout OpenedExchange) -> [UInt8] {
    let head = SealedResponseHead(
      status: answer.status, fields: answer.headers.map { SealedField($0.name, $0.value) })
    var frames = exchange.frame(kind: FrameKind.head, head.json())
    for start in stride(from: 0, to: answer.body.count, by: SealedLimits.frameData) {
      let end = min(start + SealedLimits.frameData, answer.body.count)
      frames += exchange.frame(kind: FrameKind.body, Array(answer.body[start..<end]))
    }
    return frames + exchange.frame(kind: FrameKind.end, [])
  }

  private func attest(_ body: [UInt8]) -> WireAnswer {
    struct Asked: Decodable { let nonce: String }
    guard let asked = try? JSONDecoder().decode(Asked.self, from: Data(body)),
      let nonce = Hex.decode(asked.nonce),
      let key = try? X25519.PublicKey(node.sealing.transportKey)
    else { return WireAnswer(head: CarrierReplyHead(status: 400), body: []) }
    let reportData = TransportBinding.reportData(nonce: nonce, key: key)
    var collateral = "{}"
    let bytes: [UInt8]
    switch quote {
    case .mock:
      bytes = Array("MOCK_TDX_QUOTE_V1".utf8) + reportData + [UInt8](repeating: 0, count: 175)
    case .bytes(let other): bytes = other
    case .tdx(var machine, let root):
      machine.quote.reportData = reportData
      let evidence = machine.evidence(rootDER: root)
      collateral = String(decoding: evidence.collateralJSON, as: UTF8.self)
      bytes = evidence.quote
    }
    let reply = """
      {"data":{"quote":{"mock":true},"quoteB64":"\(Base64.encode(bytes))",
      "transportPublicKey":"\(transportKey)","collateral":\(collateral)}}
      """
    return WireAnswer(
      head: CarrierReplyHead(status: 200, contentType: "application/json"), body: Array(reply.utf8))
  }
}

extension MemoryNode.WireAnswer {
  static func sealed(_ body: [UInt8]) -> Self {
    Self(
      head: CarrierReplyHead(status: 200, contentType: SealedProtocol.contentType), body: body)
  }

  static func refusal(_ code: NodeRefusal.Code, retryAfter: Int? = nil) -> Self {
    let refusal = NodeRefusal(code)
    return Self(
      head: CarrierReplyHead(
        status: refusal.status, contentType: "application/json",
        retryAfter: retryAfter.map(String.init)), body: refusal.body(message: "no"))
  }

  static func page(_ status: Int, _ text: String = "<html>Sign in</html>") -> Self {
    Self(head: CarrierReplyHead(status: status, contentType: "text/html"), body: Array(text.utf8))
  }
}

/// A body in pieces, as a transfer brings it.
@LoopActor private final class MemoryReply: CarrierReply {
  nonisolated let head: CarrierReplyHead
  private var rest: ArraySlice<UInt8>
  private var left: Int

  nonisolated init(_ answer: MemoryNode.WireAnswer, limit: Int) {
    head = answer.head
    rest = answer.body[...]
    left = limit
  }

  @LoopActor func next() async throws(CarrierError) -> [UInt8]? {
    let piece = rest.prefix(16_384)
    if piece.isEmpty { return nil }
    guard piece.count <= left else { throw CarrierError(.replyTooLong, requestMayHaveLeft: true) }
    left -= piece.count
    rest = rest.dropFirst(piece.count)
    return Array(piece)
  }

  nonisolated func abandon() {}
}
