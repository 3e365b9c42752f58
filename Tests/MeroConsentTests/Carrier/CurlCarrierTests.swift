import EventLoop
import MeroConsent
import Sealed
import Testing

@Suite(.timeLimit(.minutes(2))) struct CurlCarrierTests {
  @Test(arguments: ["node", "plain"]) func postsBelowTheBaseAndReadsTheAnswer(
    _ server: String
  ) async throws {
    let carrier = try await TestNode.shared().carrier(server)
    let (head, text) = try await carrier.exchange("show/a%2Fb", body: "the body")
    #expect(head == CarrierReplyHead(status: 200))
    let lines = text.split(separator: "\n")
    #expect(lines[1] == "POST /node-7/show/a%2Fb HTTP/1.1")
    #expect(lines.contains("Content-Type: text/plain"))
    #expect(lines.contains("Content-Length: 8"))
    #expect(lines.last == "the body")
    for name in ["expect", "cookie", "authorization", "transfer-encoding", "accept-encoding"] {
      #expect(!lines.contains { $0.lowercased().hasPrefix(name + ":") })
    }
    await carrier.close()
  }

  @Test func sendsALongBodyWithoutWaitingForLeave() async throws {
    let carrier = try await TestNode.shared().carrier()
    let body = String(repeating: "x", count: 2_000_000)
    let (_, text) = try await carrier.exchange("show", body: body, limit: 3_000_000)
    #expect(text.hasSuffix("\n" + body))
    #expect(!text.lowercased().contains("expect:"))
    await carrier.close()
  }

  @Test func sendsAnEmptyBody() async throws {
    let carrier = try await TestNode.shared().carrier("plain")
    #expect(try await carrier.exchange("show").text.contains("Content-Length: 0"))
    await carrier.close()
  }

  @Test func handsUpTheFieldsThatTheChannelReads() async throws {
    let carrier = try await TestNode.shared().carrier("plain")
    #expect(
      try await carrier.exchange("sealed").head
        == CarrierReplyHead(
          status: 200, contentType: "application/vnd.calimero.sealed", retryAfter: "3",
          date: "Tue, 15 Nov 1994 08:12:31 GMT"))
    #expect(try await carrier.exchange("twice").head.contentType == "a/b, c/d")
    await carrier.close()
  }

  @Test(arguments: [200, 204, 307, 400, 407, 409, 502, 503, 599])
  func everyStatusIsAnAnswer(_ status: Int) async throws {
    let carrier = try await TestNode.shared().carrier("plain")
    #expect(try await carrier.exchange("status/\(status)").head.status == status)
    await carrier.close()
  }

  @Test func passesOverInterimAnswers() async throws {
    let carrier = try await TestNode.shared().carrier("plain")
    let (head, text) = try await carrier.exchange("interim")
    #expect(head == CarrierReplyHead(status: 200, contentType: "a/b"))
    #expect(text == "late")
    await carrier.close()
  }

  /// C-155.
  @Test func followsNoRedirect() async throws {
    let carrier = try await TestNode.shared().carrier("plain")
    #expect(try await carrier.exchange("redirect").head.status == 302)
    #expect(try await carrier.requestsSeen("trapped") == 0)
    await carrier.close()
  }

  // MARK: Limits

  @Test(arguments: ["big", "chunked"]) func aBodyOfTheLimitPasses(_ kind: String) async throws {
    let carrier = try await TestNode.shared().carrier("plain")
    #expect(try await carrier.exchange("\(kind)/200000", limit: 200_000).text.count == 200_000)
    await carrier.close()
  }

  @Test(arguments: ["big", "chunked"])
  func aBodyOverTheLimitIsRefused(_ kind: String) async throws {
    let carrier = try await TestNode.shared().carrier("plain")
    let error = await carrierError {
      _ = try await carrier.exchange("\(kind)/200001", limit: 200_000)
    }
    #expect(error == CarrierError(.replyTooLong, requestMayHaveLeft: true))
    await carrier.close()
  }

  /// The status is known even when the page is too long.
  @Test func anAnnouncedLengthOverTheLimitStillHasAHead() async throws {
    let carrier = try await TestNode.shared().carrier("plain")
    let reply = try await carrier.post(
      CarrierRequest(path: "/status/502", contentType: "a/b", body: [], replyLimit: 5))
    #expect(reply.head.status == 502)
    for _ in 0..<2 {
      let error = await carrierError { _ = try await reply.next() }
      #expect(error == CarrierError(.replyTooLong, requestMayHaveLeft: true))
    }
    await carrier.close()
  }

  @Test func aHeaderWithoutEndIsRefused() async throws {
    let carrier = try await TestNode.shared().carrier("plain")
    #expect(try await carrier.exchange("header/60").head.status == 200)
    let error = await carrierError { _ = try await carrier.exchange("header/70") }
    #expect(error == CarrierError(.notHTTP, requestMayHaveLeft: true))
    await carrier.close()
  }

  @Test func doesNotReadAheadOfItsReader() async throws {
    let carrier = try await TestNode.shared().carrier("plain")
    let size = 20_000_000
    let reply = try await carrier.post(
      CarrierRequest(path: "/big/\(size)", contentType: "a/b", body: [], replyLimit: size))
    // The server is held up by us: what it has sent stops growing.
    var sent = -1
    var now = try await carrier.requestsSeen("big/\(size)/sent")
    while now != sent {
      try await LoopActor.sleep(for: .milliseconds(50))
      (sent, now) = (now, try await carrier.requestsSeen("big/\(size)/sent"))
    }
    #expect(sent < size)
    var received = 0
    while let piece = try await reply.next() {
      #expect(!piece.isEmpty && piece.count <= 65_536)
      received += piece.count
    }
    #expect(received == size)
    #expect(try await reply.next() == nil)
    await carrier.close()
  }

  @Test func aWholeCallHasALimit() async throws {
    let carrier = try await TestNode.shared().carrier("plain") { $0.call = .seconds(1) }
    for path in ["silent", "drip"] {
      var error: CarrierError?
      // On a machine that is busy with others its time may be over before it is sent.
      repeat {
        error = await carrierError { _ = try await carrier.exchange(path) }
      } while error == CarrierError(.timedOut, requestMayHaveLeft: false)
      #expect(error == CarrierError(.timedOut, requestMayHaveLeft: true))
    }
    #expect(await carrier.transferCount == 0)
    await carrier.close()
  }

  @Test func silenceHasALimit() async throws {
    let carrier = try await TestNode.shared().carrier("plain") { $0.silence = .seconds(1) }
    let error = await carrierError { _ = try await carrier.exchange("silent") }
    // The whole call may take longer than the run.
    #expect(error == CarrierError(.timedOut, requestMayHaveLeft: true))
    await carrier.close()
  }

  @Test func connectingHasALimit() async throws {
    // It accepts, and never answers the first message of TLS.
    let carrier = try await TestNode.shared().carrier("mute") { $0.connect = .milliseconds(150) }
    let error = await carrierError { _ = try await carrier.exchange("show") }
    #expect(error == CarrierError(.timedOut, requestMayHaveLeft: false))
    await carrier.close()
  }
}
