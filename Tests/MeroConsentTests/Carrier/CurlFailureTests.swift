import COpenSSL
import EventLoop
import Glibc
import MeroConsent
import Sealed
import Testing

/// Answers that do not end as they must (C-158), and connections that break.
@Suite(.timeLimit(.minutes(2))) struct CurlFailureTests {
  @Test func anOpenBodyEndsWithTheConnectionOnThisMachine() async throws {
    let carrier = try await TestNode.shared().carrier("plain")
    #expect(try await carrier.exchange("open-end/tcp").text == #"{"status":"approved"}"#)
    await carrier.close()
  }

  /// libcurl does not say whether the closing alert of TLS was there.
  @Test(arguments: ["cut", "tls"])
  func anOpenBodyOverTLSIsNoAnswer(_ end: String) async throws {
    let carrier = try await TestNode.shared().carrier()
    let error = await carrierError { _ = try await carrier.exchange("open-end/\(end)") }
    #expect(error == CarrierError(.cut, requestMayHaveLeft: true))
    await carrier.close()
  }

  @Test(
    arguments: ["short", "cut-chunk", "reset/late", "reset/early"], ["node", "plain"])
  func aCutAnswerIsNoAnswer(_ path: String, _ server: String) async throws {
    let carrier = try await TestNode.shared().carrier(server)
    let error = await carrierError { _ = try await carrier.exchange(path) }
    #expect(error == CarrierError(.cut, requestMayHaveLeft: true))
    #expect(try await carrier.exchange("show").head.status == 200)
    await carrier.close()
  }

  @Test func somethingElseThanHTTPIsSaidToBeThat() async throws {
    let carrier = try await TestNode.shared().carrier("plain")
    let error = await carrierError { _ = try await carrier.exchange("not-http") }
    #expect(error == CarrierError(.notHTTP, requestMayHaveLeft: true))
    await carrier.close()
  }

  @Test func aRefusedConnectionSentNothing() async throws {
    let listener = try await Task { @LoopActor in try Listener.loopback4(port: 0) }.value
    let port = try #require(listener.address.port)
    await listener.close()
    let carrier = CurlCarrier(node: try NodeAddress("http://127.0.0.1:\(port)"))
    let error = await carrierError { _ = try await carrier.exchange("show") }
    #expect(error == CarrierError(.notConnected, requestMayHaveLeft: false))
  }

  // MARK: Kept connections

  @Test func aConnectionServesManyRequests() async throws {
    let carrier = try await TestNode.shared().carrier()
    var connections: Set<Substring> = []
    for _ in 0..<5 {
      let text = try await carrier.exchange("show").text
      connections.insert(text.prefix { $0 != "\n" })
    }
    #expect(connections.count == 1)
    await carrier.close()
  }

  @Test func aConnectionThatTheNodeHasClosedIsNotUsedAgain() async throws {
    let carrier = try await TestNode.shared().carrier()
    let first = try await carrier.exchange("last").text
    let second = try await carrier.exchange("last").text
    #expect(first != second)
    await carrier.close()
  }

  /// libcurl alone would send it again on a new connection, though the node has read it.
  @Test func aRequestOnABrokenKeptConnectionIsNotRepeated() async throws {
    let carrier = try await TestNode.shared().carrier()
    _ = try await carrier.exchange("break-second/once")
    let error = await carrierError { _ = try await carrier.exchange("break-second/once") }
    #expect(error == CarrierError(.cut, requestMayHaveLeft: true))
    #expect(try await carrier.requestsSeen("break-second/once") == 2)
    await carrier.close()
  }

  /// C-152.
  @Test func aConnectionThatSwallowsRequestsIsLeft() async throws {
    let carrier = try await TestNode.shared().carrier { $0.silence = .seconds(5) }
    let first = try await carrier.exchange("swallow-second").text
    let error = await carrierError { _ = try await carrier.exchange("swallow-second") }
    #expect(error == CarrierError(.timedOut, requestMayHaveLeft: true))
    let third = try await carrier.exchange("swallow-second").text
    #expect(first != third)
    await carrier.close()
  }

  @Test @LoopActor func connectionsFromBeforeASleepAreNotUsedAgain() async throws {
    let carrier = try await TestNode.shared().carrier()
    carrier.timeSuspended = { .seconds(100) }
    let first = try await carrier.exchange("break-second").text
    carrier.timeSuspended = { .seconds(3700) }
    let second = try await carrier.exchange("break-second").text
    #expect(first != second)
    await carrier.close()
  }

  // MARK: Ends

  @Test func cancellingEndsTheTransfer() async throws {
    let carrier = try await TestNode.shared().carrier("plain")
    let before = try await carrier.requestsSeen("ended")
    let calling = Task { await carrierError { _ = try await carrier.exchange("silent/cancel") } }
    while try await carrier.requestsSeen("silent/cancel") == 0 {}
    calling.cancel()
    #expect(await calling.value == CarrierError(.cancelled, requestMayHaveLeft: true))
    #expect(await carrier.transferCount == 0)
    // The server sees it too.
    while try await carrier.requestsSeen("ended") == before {}
    await carrier.close()
  }

  @Test func aCancelledTaskSendsNothing() async throws {
    let carrier = try await TestNode.shared().carrier("plain")
    let calling = Task {
      while !Task.isCancelled { await Task.yield() }
      return await carrierError { _ = try await carrier.exchange("show/cancelled") }
    }
    calling.cancel()
    #expect(await calling.value == CarrierError(.cancelled, requestMayHaveLeft: false))
    #expect(try await carrier.requestsSeen("show/cancelled") == 0)
    await carrier.close()
  }

  @Test func abandoningEndsAWaitingRead() async throws {
    let carrier = try await TestNode.shared().carrier("plain")
    let reply = try await carrier.post(
      CarrierRequest(path: "/drip", contentType: "a/b", body: [], replyLimit: 2_000_000))
    let reading = Task { await carrierError { while try await reply.next() != nil {} } }
    _ = try await carrier.exchange("show")
    reply.abandon()
    reply.abandon()
    #expect(await reading.value == CarrierError(.cancelled, requestMayHaveLeft: true))
    await carrier.close()
  }

  @Test func aReplyThatNobodyHoldsIsEnded() async throws {
    let carrier = try await TestNode.shared().carrier("plain")
    _ = try await carrier.post(
      CarrierRequest(path: "/drip", contentType: "a/b", body: [], replyLimit: 2_000_000))
    while await carrier.transferCount > 0 { await Task.yield() }
    await carrier.close()
  }

  @Test func closeEndsEveryTransfer() async throws {
    let carrier = try await TestNode.shared().carrier("plain")
    let calls = (0..<3).map { number in
      Task { await carrierError { _ = try await carrier.exchange("silent/close-\(number)") } }
    }
    for number in 0..<3 {
      while try await carrier.requestsSeen("silent/close-\(number)") == 0 {}
    }
    await carrier.close()
    for call in calls {
      #expect(await call.value == CarrierError(.closed, requestMayHaveLeft: true))
    }
    let later = await carrierError { _ = try await carrier.exchange("show") }
    #expect(later == CarrierError(.closed, requestMayHaveLeft: false))
  }
}
