import EventLoop
import MeroConsent
import Sealed
import Testing

/// What the answers of all nodes may take together.
@Suite struct ReplyMemoryTests {
  private func request(_ path: String) -> CarrierRequest {
    CarrierRequest(path: "/" + path, contentType: "a/b", body: [], replyLimit: 1 << 20)
  }

  /// An answer of which 300,000 bytes are read, and a little more is here.
  private func half(of carrier: CurlCarrier) async throws -> any CarrierReply {
    let reply = try await carrier.post(request("big/900000"))
    var received = 0
    while received < 300_000 { received += try #require(try await reply.next()).count }
    return reply
  }

  private func carriers(
    common: Int
  ) async throws -> (memory: ReplyMemory, one: CurlCarrier, two: CurlCarrier) {
    let (memory, node) = (ReplyMemory(common: common), try await TestNode.shared())
    return (
      memory, try node.carrier("plain", memory: memory), try node.carrier("plain", memory: memory)
    )
  }

  @Test func theLongestAnswerGivesWayToAShorterOne() async throws {
    // The first fits whatever it has read ahead, and not together with the second.
    let (_, one, two) = try await carriers(common: 425_000)
    let long = try await half(of: one)
    #expect(try await two.exchange("big/148000").text.utf8.count == 148_000)
    let error = await carrierError { while try await long.next() != nil {} }
    #expect(error == CarrierError(.cut, requestMayHaveLeft: true))
    #expect(error?.detail.contains("memory") == true)
    await one.close()
    await two.close()
  }

  @Test func anAnswerEndsNoOtherThatIsHardlyLonger() async throws {
    let (memory, one, two) = try await carriers(common: 640_000)
    let long = try await half(of: one)
    let error = await carrierError { _ = try await two.exchange("big/400000") }
    #expect(error == CarrierError(.cut, requestMayHaveLeft: true))
    // What the first has is still there.
    #expect(await memory.held > 290_000)
    #expect(try await long.next() != nil)
    await one.close()
    await two.close()
  }

  @Test func anAnswerThatIsItselfTheLongestIsCut() async throws {
    let memory = ReplyMemory(common: 100_000)
    let carrier = try await TestNode.shared().carrier("plain", memory: memory)
    let error = await carrierError { _ = try await carrier.exchange("big/300000") }
    #expect(error == CarrierError(.cut, requestMayHaveLeft: true))
    // What it took is free again.
    #expect(try await carrier.exchange("big/100000").text.utf8.count == 100_000)
    await carrier.close()
  }

  @Test func ordinaryAnswersNeedNoRoom() async throws {
    let memory = ReplyMemory(common: 0)
    let carrier = try await TestNode.shared().carrier("plain", memory: memory)
    let size = ReplyMemory.share
    #expect(try await carrier.exchange("big/\(size)").text.utf8.count == size)
    let error = await carrierError { _ = try await carrier.exchange("big/\(size + 1)") }
    #expect(error == CarrierError(.cut, requestMayHaveLeft: true))
    await carrier.close()
  }

  @Test func whatIsReadIsGivenBack() async throws {
    let memory = ReplyMemory(common: 1 << 20)
    let carrier = try await TestNode.shared().carrier("plain", memory: memory)
    for _ in 1...5 { _ = try await carrier.exchange("big/300000") }
    while await memory.held > 0 { try await LoopActor.sleep(for: .milliseconds(1)) }
    await carrier.close()
  }
}
