import EventLoop
import MeroConsent
import Sealed
import Testing

/// What the answers of all nodes may take together.
@Suite struct ReplyMemoryTests {
  private func request(_ path: String) -> CarrierRequest {
    CarrierRequest(path: "/" + path, contentType: "a/b", body: [], replyLimit: 1 << 20)
  }

  @Test func theLongestAnswerGivesWayToAShorterOne() async throws {
    let memory = ReplyMemory(common: 70_000)
    let (one, two) = (
      try await TestNode.shared().carrier("plain", memory: memory),
      try await TestNode.shared().carrier("plain", memory: memory)
    )
    // Not read, so that it stops when it has as much as is kept for a reader.
    let long = try await one.post(request("big/900000"))
    while await memory.held < 40_000 { try await LoopActor.sleep(for: .milliseconds(1)) }
    #expect(try await two.exchange("big/45000").text.utf8.count == 45_000)
    let error = await carrierError { while try await long.next() != nil {} }
    #expect(error == CarrierError(.cut, requestMayHaveLeft: true))
    #expect(error?.detail.contains("memory") == true)
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
