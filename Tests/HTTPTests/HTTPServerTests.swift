import EventLoop
import HTTP
import Testing

@Suite @LoopActor struct HTTPServerTests {
  @Test(arguments: Transport.allCases)
  func answersRequestsInOrderOnOneConnection(_ transport: Transport) async throws {
    let fixture = try Fixture(TestHandler(), over: transport)
    let stream = try await fixture.connect()
    try await stream.write("GET /one?x=1 HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try await stream.read(through: "]").hasSuffix("\r\n\r\nGET /one?x=1 a []"))
    try await stream.write("POST /two HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
    #expect(try await stream.read(through: "]").hasSuffix("\r\n\r\nPOST /two a [abc]"))
    stream.close()
    await fixture.server.stop(within: .seconds(5))
  }
}
