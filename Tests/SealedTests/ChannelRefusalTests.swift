import Crypto
import Sealed
import Testing

/// Answers that break the protocol, from a node or from somebody in front of it. Nothing of them
/// is used, nothing is sent again, and the channel goes on with the next request.
@Suite(.timeLimit(.minutes(5))) struct ChannelRefusalTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let call: FakeNode.Call
    let turn: FakeNode.Turn
    let error: SealedError
    let meaning: SealedError.Meaning
    var testDescription: String { name }

    init(
      _ name: String, _ call: FakeNode.Call, _ turn: FakeNode.Turn, _ error: SealedError,
      _ meaning: SealedError.Meaning
    ) {
      (self.name, self.call, self.turn, self.error, self.meaning) =
        (name, call, turn, error, meaning)
    }
  }

  static let head = SealedResponseHead(status: 200, fields: [])
  static let page = Array("<html>Please sign in</html>".utf8)

  static let frames = [
    Case(
      "a frame longer than the limit", .exchange,
      .spoil({ [0, 1, 0, 18] + $0 }), .flawed(.frameTooLong), .node(status: 200)),
    Case(
      "a frame without room for a tag", .exchange,
      .spoil({ [0, 0, 0, 16] + $0 }), .flawed(.frameTooShort), .node(status: 200)),
    Case(
      "a changed frame", .exchange,
      .spoil { stream in
        var stream = stream
        stream[stream.count - 1] ^= 1
        return stream
      }, .flawed(.frameNotAuthentic), .node(status: 200)),
    Case(
      "no head", .exchange,
      .frames { writer, sealer in
        writer.body([1], with: &sealer) + writer.end(with: &sealer)
      }, .flawed(.firstFrameNotHead), .node(status: 200)),
    Case(
      "two heads", .exchange,
      .frames { writer, sealer in
        writer.head(head, with: &sealer) + writer.head(head, with: &sealer)
          + writer.end(with: &sealer)
      }, .flawed(.secondHead), .node(status: 200)),
    Case(
      "an unknown kind", .exchange,
      .frames { writer, sealer in
        writer.head(head, with: &sealer) + writer.frame(3, [], with: &sealer)
          + writer.end(with: &sealer)
      }, .flawed(.unknownKind(3)), .node(status: 200)),
    Case(
      "an end that is not empty", .exchange,
      .frames { writer, sealer in
        writer.head(head, with: &sealer) + writer.frame(FrameKind.end, [1], with: &sealer)
      }, .flawed(.endNotEmpty), .node(status: 200)),
    Case(
      "a frame after the end", .exchange,
      .frames { writer, sealer in
        writer.head(head, with: &sealer) + writer.end(with: &sealer)
          + writer.body([1], with: &sealer)
      }, .flawed(.dataAfterEnd), .node(status: 200)),
    Case(
      "one byte after the end", .exchange, .spoil({ $0 + [0] }), .flawed(.dataAfterEnd),
      .node(status: 200)),
    Case(
      "a head that is no JSON", .exchange,
      .frames { writer, sealer in
        writer.frame(FrameKind.head, Array("<html>".utf8), with: &sealer)
          + writer.end(with: &sealer)
      }, .flawed(.malformedHead), .node(status: 200)),
    Case(
      "no end frame", .exchange,
      .frames { writer, sealer in
        writer.head(head, with: &sealer) + writer.body(Array("approved".utf8), with: &sealer)
      }, .flawed(.cutShort), .unreachable),
    Case(
      "an end in the middle of a frame", .exchange, .spoil({ $0.dropLast(3) }),
      .flawed(.cutShort), .unreachable),
    Case(
      "an empty answer", .exchange, .spoil({ _ in [] }), .flawed(.cutShort), .unreachable),
    Case(
      "a connection that ends after the end frame, but not as HTTP says", .exchange,
      .spoil({ $0 }, ending: CarrierError(.cut, requestMayHaveLeft: true)),
      .unreachable(CarrierError(.cut, requestMayHaveLeft: true)), .unreachable),
    Case(
      "the answer to another request", .exchange,
      .frames { _, sealer in
        var writer = FrameWriter(
          header: RequestEnvelope.Header(
            sessionID: [UInt8](repeating: 0, count: 16), requestID: 1))
        return writer.head(head, with: &sealer) + writer.end(with: &sealer)
      }, .flawed(.frameNotAuthentic), .node(status: 200)),
  ]

  static let pages = [
    Case(
      "an unsealed answer under 200", .exchange,
      .say(
        status: 200, contentType: "application/json", body: Array(#"{"status":"approved"}"#.utf8)),
      .flawed(.notSealed), .node(status: 200)),
    Case("no content type", .exchange, .mislabel(nil), .flawed(.notSealed), .node(status: 200)),
    Case(
      "a content type that begins alike", .exchange,
      .mislabel("application/vnd.calimero.sealed2"), .flawed(.notSealed), .node(status: 200)),
    Case(
      "a handshake under another content type", .handshake, .mislabel("text/html"),
      .flawed(.notSealed), .node(status: 200)),
    Case(
      "a captive portal", .handshake, .say(status: 511, contentType: "text/html", body: page),
      .foreignReply(status: 511), .node(status: 511)),
    Case(
      "a redirect", .exchange, .say(status: 302, contentType: nil, body: []),
      .foreignReply(status: 302), .node(status: 302)),
    Case(
      "another success", .exchange,
      .say(status: 206, contentType: SealedProtocol.contentType, body: [1]),
      .foreignReply(status: 206), .node(status: 206)),
    Case(
      "a proxy's long page", .handshake,
      .say(status: 502, contentType: "text/html", body: [UInt8](repeating: 32, count: 5000)),
      .foreignReply(status: 502), .node(status: 502)),
    Case(
      "an error that is JSON of somebody else's", .exchange,
      .say(status: 500, contentType: "application/json", body: Array(#"{"error":"no"}"#.utf8)),
      .foreignReply(status: 500), .node(status: 500)),
    Case(
      "a code that cannot be one", .exchange,
      .say(
        status: 409, contentType: "application/json",
        body: Array(#"{"error":{"code":"<b>busy</b>"}}"#.utf8)),
      .foreignReply(status: 409), .node(status: 409)),
    Case(
      "a handshake's answer of another version", .handshake,
      .spoil({ [1] + $0.dropFirst() }), .flawed(.handshakeVersion), .node(status: 200)),
    Case(
      "a handshake's answer that is too short", .handshake, .spoil({ $0.dropLast() }),
      .flawed(.handshakeLength), .node(status: 200)),
    Case(
      "a handshake's answer that is one byte too long", .handshake, .spoil({ $0 + [0] }),
      .flawed(.handshakeLength), .node(status: 200)),
    Case(
      "a handshake's answer of a KiB", .handshake,
      .spoil({ $0 + [UInt8](repeating: 0, count: 1024 - 69) }), .flawed(.handshakeLength),
      .node(status: 200)),
    Case(
      "a handshake's answer over a KiB", .handshake,
      .spoil({ $0 + [UInt8](repeating: 0, count: 1025 - 69) }), .flawed(.handshakeTooLong),
      .node(status: 200)),
    Case(
      "a handshake with somebody who has not the key", .handshake,
      .spoil { reply in
        var reply = reply
        reply[60] ^= 1
        return reply
      }, .untrusted(.handshakeNotAuthentic), .untrusted),
    Case(
      "a low-order point in the handshake", .handshake,
      .spoil { [2] + [UInt8](repeating: 0, count: 32) + $0.dropFirst(33) },
      .untrusted(.lowOrderPoint), .untrusted),
    Case(
      "a route that the node's proxy guards", .exchange,
      .answer(
        SealedResponseHead(status: 403, fields: []),
        Array(#"{"error":{"code":"sealed_route_unguarded","message":"x"}}"#.utf8)),
      .routeUnguarded, .node(status: 403)),
  ]

  @Test(arguments: frames + pages) func refuses(this: Case) async throws {
    let fixture = await ChannelFixture()
    await fixture.node.setPieceSize(4096)
    await fixture.node.next(this.call, this.turn)
    let failure = await fixture.failure()
    #expect(failure == this.error)
    #expect(failure?.meaning == this.meaning)
    #expect(await fixture.node.count(this.call) == 1)
    #expect(await fixture.node.replies.allSatisfy(\.isAbandoned), "no transfer is left running")
    #expect(try await fixture.get("/after") == "/after")
  }

  @Test func anotherRefusalInsideOfTheEnvelopeIsAnAnswer() async throws {
    let fixture = await ChannelFixture()
    let body = Array(#"{"error":{"code":"forbidden"}}"#.utf8)
    await fixture.node.next(
      .exchange, .answer(SealedResponseHead(status: 403, fields: []), body))
    let response = try await fixture.channel.send(SealedRequest(method: "GET", path: "/"))
    #expect(response.status == 403)
    #expect(response.body == body)
  }

  @Test func stopsTheTransferAtTheFirstWrongFrame() async throws {
    let fixture = await ChannelFixture()
    await fixture.node.setPieceSize(100)
    await fixture.node.next(
      .exchange,
      .spoil({ [0, 1, 0, 18] + [UInt8](repeating: 0, count: 70_000) + $0 }))
    #expect(await fixture.failure() == .flawed(.frameTooLong))
    let reply = try #require(await fixture.node.replies.last)
    #expect(reply.given == 100)
    #expect(reply.isAbandoned)
  }

  @Test func endsARowOfEmptyFrames() async throws {
    let fixture = await ChannelFixture()
    await fixture.node.setPieceSize(4096)
    await fixture.node.next(
      .exchange,
      .frames { writer, sealer in
        var stream = writer.head(Self.head, with: &sealer)
        for _ in 0..<7000 { stream += writer.frame(FrameKind.body, [], with: &sealer) }
        return stream + writer.end(with: &sealer)
      })
    var request = SealedRequest(method: "GET", path: "/")
    request.responseLimit = 0
    await #expect(throws: SealedError.flawed(.streamTooLong)) {
      try await fixture.channel.send(request)
    }
  }

  @Test(arguments: [
    "application/vnd.calimero.sealed", "Application/Vnd.Calimero.Sealed",
    "application/vnd.calimero.sealed; v=2", "application/vnd.calimero.sealed;v=2",
  ])
  func knowsItsContentTypeHoweverItIsWritten(type: String) async throws {
    let fixture = await ChannelFixture()
    await fixture.node.next(.exchange, .mislabel(type))
    #expect(try await fixture.get("/a") == "/a")
  }

  /// Whatever went wrong, no byte of a request was ever posted outside of an envelope.
  @Test(arguments: frames + pages) func neverSendsInTheClear(after this: Case) async throws {
    let fixture = await ChannelFixture()
    await fixture.node.setPieceSize(4096)
    await fixture.node.next(this.call, this.turn)
    _ = try? await fixture.channel.send(
      SealedRequest(
        method: "POST", path: "/marker", bearer: Redacted("marker"), body: Array("marker".utf8)))
    for post in await fixture.node.posts {
      #expect(!post.body.contains(Array("marker".utf8)))
      #expect(["/sealed/v2", "/sealed/v2/handshake"].contains(post.path))
    }
  }
}
