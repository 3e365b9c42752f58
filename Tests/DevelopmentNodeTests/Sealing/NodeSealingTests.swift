import Crypto
import DevelopmentNode
import EventLoop
import Sealed
import Testing

@Suite struct NodeSealingTests {
  @Test func opensARequestAndSealsItsAnswer() throws {
    var node = NodeSealing()
    var client = try SealingClient(with: &node, at: .noon)
    var exchange = try node.open(client.request(1, body: [1, 2, 3]), at: .noon)
    let request = exchange.request
    #expect(request.method == "POST")
    #expect(request.path == "/consent/requests")
    #expect(request.header("authorization") == "Bearer token")
    #expect(request.body == [1, 2, 3])
    let head = SealedResponseHead(status: 201, fields: [SealedField("a", "b")])
    let stream =
      exchange.frame(kind: FrameKind.head, head.json()) + exchange.frame(kind: 1, [4, 5])
      + exchange.frame(kind: FrameKind.end, [])
    let answer = try client.answer(to: 1, in: stream)
    #expect(answer.head == head)
    #expect(answer.body == [4, 5])
  }

  @Test func answersRequestsOfOneSessionAtTheSameTime() throws {
    var node = NodeSealing()
    var client = try SealingClient(with: &node, at: .noon)
    var first = try node.open(client.request(1), at: .noon)
    var second = try node.open(client.request(2), at: .noon)
    let head = SealedResponseHead(status: 200, fields: []).json()
    var streams: (one: [UInt8], two: [UInt8]) = ([], [])
    streams.two += second.frame(kind: 0, head)
    streams.one += first.frame(kind: 0, head)
    streams.two += second.frame(kind: 1, [2])
    streams.one += first.frame(kind: 1, [1])
    streams.one += first.frame(kind: 2, [])
    streams.two += second.frame(kind: 2, [])
    let bodies = (
      try client.answer(to: 1, in: streams.one).body, try client.answer(to: 2, in: streams.two).body
    )
    #expect(bodies.0 == [1])
    #expect(bodies.1 == [2])
  }

  @Test func keepsItsKeyOverTime() throws {
    let raw = [UInt8](repeating: 0x22, count: 32)
    let node = NodeSealing(key: try X25519.PrivateKey(raw: Secret(copying: raw)))
    let key = Hex.encode(node.transportKey)
    #expect(key == "0faa684ed28867b97f4a6a2dee5df8ce974e76b7018e3f22a1c4cf2678570f20")
  }

  // MARK: Handshakes that are refused

  enum BadHandshake: CaseIterable {
    case empty, otherVersion, shorter, longer, otherKey, changed, lowOrderPoint

    var code: SealingRefusal {
      switch self {
      case .empty, .shorter, .longer, .lowOrderPoint: .malformed
      case .otherVersion: .unsupportedVersion
      case .otherKey: .staleTransportKey
      case .changed: .undecryptable
      }
    }
  }

  @Test(arguments: BadHandshake.allCases) func refusesAHandshake(that kind: BadHandshake) throws {
    var node = NodeSealing()
    var body = try ClientHandshake(key: X25519.PublicKey(node.transportKey)).request
    switch kind {
    case .empty: body = []
    case .otherVersion: body[0] = 1
    case .shorter: body.removeLast()
    case .longer: body.append(0)
    case .otherKey: body = try ClientHandshake(key: X25519.PrivateKey().publicKey).request
    case .changed: body[80] ^= 1
    case .lowOrderPoint: body.replaceSubrange(33..<65, with: [UInt8](repeating: 0, count: 32))
    }
    #expect(
      refusal { () throws(SealingRefusal) in _ = try node.handshake(body, at: .noon) }
        == kind.code)
  }

  // MARK: Requests that are refused

  enum BadRequest: CaseIterable {
    case empty, otherVersion, cutInHeader, cutInTag, idZero, unknownSession, changed, otherID
    case noHeadLength, headTooLong, headNoJSON, headWithoutPath, fieldNoPair, fieldWithNewline

    var code: SealingRefusal {
      switch self {
      case .otherVersion: .unsupportedVersion
      case .unknownSession: .unknownSession
      case .changed, .otherID: .undecryptable
      default: .malformed
      }
    }
  }

  @Test(arguments: BadRequest.allCases) func refusesARequest(that kind: BadRequest) throws {
    var node = NodeSealing()
    var client = try SealingClient(with: &node, at: .noon)
    var body = client.request(1)
    switch kind {
    case .empty: body = []
    case .otherVersion: body[0] = 3
    case .cutInHeader: body = Array(body.prefix(24))
    case .cutInTag: body = Array(body.prefix(40))
    case .idZero: body = client.request(0)
    case .unknownSession: body[5] ^= 1
    case .changed: body[body.count - 1] ^= 1
    case .otherID: body[24] = 2
    case .noHeadLength: body = client.request(1, inner: [0, 0, 0])
    case .headTooLong: body = client.request(1, inner: [0, 0, 0, 3] + Array("{}".utf8))
    case .headNoJSON: body = client.request(1, inner: [0, 0, 0, 1, 0x7b])
    case .headWithoutPath: body = client.request(1, head: #"{"method":"GET","headers":[]}"#)
    case .fieldNoPair:
      body = client.request(1, head: #"{"method":"GET","path":"/","headers":[["a"]]}"#)
    case .fieldWithNewline:
      body = client.request(1, head: #"{"method":"GET","path":"/","headers":[["a","b\nc"]]}"#)
    }
    #expect(
      refusal { () throws(SealingRefusal) in _ = try node.open(body, at: .noon).request }
        == kind.code)
  }

  @Test func takesTheLongestRequestAndNotOneByteMore() throws {
    var node = NodeSealing()
    var client = try SealingClient(with: &node, at: .noon)
    let head = #"{"method":"GET","path":"/","headers":[]}"#
    let room = SealedLimits.request - 4 - head.utf8.count
    let body = [UInt8](repeating: 7, count: room)
    let longest = try node.open(client.request(1, head: head, body: body), at: .noon).request.body
    #expect(longest.count == room)
    let longer = client.request(2, head: head, body: body + [7])
    #expect(
      refusal { () throws(SealingRefusal) in _ = try node.open(longer, at: .noon).request }
        == .tooLarge)
  }

  // MARK: Replays

  @Test func refusesARequestThatItHasSeen() throws {
    var node = NodeSealing()
    var client = try SealingClient(with: &node, at: .noon)
    let body = client.request(1)
    _ = try node.open(body, at: .noon).request
    let again = client.request(1, path: "/other")
    for replay in [body, again] {
      #expect(
        refusal { () throws(SealingRefusal) in _ = try node.open(replay, at: .noon).request }
          == .replayedRequest)
    }
  }

  @Test func takesRequestsInAnyOrderWithinItsWindow() throws {
    var node = NodeSealing()
    var client = try SealingClient(with: &node, at: .noon)
    _ = try node.open(client.request(1025), at: .noon).request
    _ = try node.open(client.request(2), at: .noon).request
    let tooOld = client.request(1)
    #expect(
      refusal { () throws(SealingRefusal) in _ = try node.open(tooOld, at: .noon).request }
        == .replayedRequest)
  }

  @Test func remembersEveryIDOfItsWindow() throws {
    var node = NodeSealing()
    var client = try SealingClient(with: &node, at: .noon)
    for id in UInt64(1)...5000 { _ = try node.open(client.request(id), at: .noon).request }
    for id in [UInt64(1), 3975, 3976, 3977, 4500, 5000] {
      let replay = client.request(id)
      #expect(
        refusal { () throws(SealingRefusal) in _ = try node.open(replay, at: .noon).request }
          == .replayedRequest)
    }
    _ = try node.open(client.request(5001), at: .noon).request
  }

  @Test func aForgedRequestUsesUpNoID() throws {
    var node = NodeSealing()
    var client = try SealingClient(with: &node, at: .noon)
    let body = client.request(1)
    var forged = body
    forged[30] ^= 1
    #expect(
      refusal { () throws(SealingRefusal) in _ = try node.open(forged, at: .noon).request }
        == .undecryptable)
    _ = try node.open(body, at: .noon).request
  }

  private func refusal(_ body: () throws(SealingRefusal) -> Void) -> SealingRefusal? {
    do { try body() } catch { return error }
    return nil
  }
}

extension SealingClient {
  fileprivate mutating func request(
    _ requestID: UInt64, head: String, body: [UInt8] = []
  ) -> [UInt8] {
    request(requestID, inner: [0, 0, 0, UInt8(head.utf8.count)] + Array(head.utf8) + body)
  }
}
