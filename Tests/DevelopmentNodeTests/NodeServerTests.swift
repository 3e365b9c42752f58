import DevelopmentNode
import EventLoop
import HTTP
import Testing

/// Over a real socket: routing, and what happens to an answer on its way.
@LoopActor @Suite(.timeLimit(.minutes(1))) struct NodeServerTests {
  /// Serves a node while `body` runs.
  private func serving(
    prefix: String = "", _ body: @LoopActor (DevelopmentNode) async throws -> Void
  ) async throws {
    var options = NodeOptions()
    try options.set(.prefix, to: prefix)
    let node = try DevelopmentNode(options)
    node.start()
    do {
      try await body(node)
    } catch {
      await node.stop()
      throw error
    }
    await node.stop()
  }

  /// What comes back until the node ends the connection.
  private func exchange(
    _ node: DevelopmentNode, _ path: String, method: String = "GET", host: String? = nil,
    body: String = ""
  ) async throws -> String {
    let stream = try await Connector.connect(to: .loopback4(port: node.port))
    let head =
      "\(method) \(path) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(node.port)")\r\n"
      + "Connection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
    try await stream.write(Array((head + body).utf8))
    var received: [UInt8] = []
    while try await stream.read(into: &received, limit: 65_536) > 0 {}
    stream.close()
    return String(decoding: received, as: UTF8.self)
  }

  /// Whether the node ends the connection and says nothing more.
  private func ended(_ stream: SocketStream) async -> Bool {
    var received: [UInt8] = []
    let count = try? await stream.read(into: &received, limit: 1)
    return count ?? 0 == 0
  }

  private func body(of answer: String) -> Substring? {
    answer.firstRange(of: "\r\n\r\n").map { answer[$0.upperBound...] }
  }

  private func year(_ seconds: Int64) -> Substring {
    HTTPDate.text(secondsSince1970: Int(seconds)).dropFirst("Mon, 30 Nov ".count).prefix(4)
  }

  private func status(
    _ node: DevelopmentNode, _ path: String, method: String = "GET", host: String? = nil
  ) async throws -> Int? {
    status(try await exchange(node, path, method: method, host: host))
  }

  private func status(_ answer: String) -> Int? {
    answer.split(separator: " ").dropFirst().first.flatMap { Int($0) }
  }

  @Test func everythingIsBelowThePrefix() async throws {
    try await serving(prefix: "/node-7") { node in
      for (path, expected) in [
        ("/node-7/dev", 200), ("/dev", 404), ("/node-70/dev", 404), ("/node-7", 404),
      ] {
        let status = try await status(node, path)
        #expect(status == expected, "\(path)")
      }
    }
  }

  @Test(arguments: ["/consent/requests", "/consent/x/result", "/auth/refresh"])
  func refusesSealedCallsInTheClear(_ path: String) async throws {
    try await serving { node in
      for method in ["GET", "POST"] {
        let answer = try await exchange(node, path, method: method)
        #expect(status(answer) == 403)
        #expect(answer.contains(#""code":"sealed_required""#))
      }
    }
  }

  @Test(arguments: ["/admin-api/tee/attest", "/sealed/v2/handshake", "/sealed/v2"])
  func takesPostsAloneWhereItTakesPosts(_ path: String) async throws {
    try await serving { node in
      let first = try await status(node, path)
      let second = try await status(node, path, method: "POST")
      #expect([first, second] == [405, 400])
    }
  }

  @Test(arguments: ["evil.example", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:PORT"])
  func answersForItsOwnAddressAlone(_ host: String) async throws {
    try await serving { node in
      let host = host.replacing("PORT", with: "\(node.port)")
      let foreign = try await status(node, "/dev", host: host)
      let own = try await status(node, "/dev", host: "LocalHost:\(node.port)")
      #expect([foreign, own] == [421, 200])
    }
  }

  @Test func aHeadRequestForAPageHasNoBody() async throws {
    try await serving { node in
      let answer = try await exchange(node, "/consent/none", method: "HEAD")
      #expect(status(answer) == 404)
      #expect(answer.hasSuffix("\r\n\r\n"))
    }
  }

  @Test func aCutBeforeTheHeadSendsNothing() async throws {
    try await serving { node in
      try node.misbehave(.cutBeforeHead, on: .page)
      let answer = try? await exchange(node, "/consent/none")
      #expect(answer ?? "" == "")
      let next = try await status(node, "/consent/none")
      #expect(next == 404)
    }
  }

  @Test func aCutInTheBodySendsTheHeadAndHalfOfIt() async throws {
    try await serving { node in
      let whole = try #require(body(of: try await exchange(node, "/consent/none")))
      try node.misbehave(.cutInBody, on: .page)
      let cut = try #require(body(of: try await exchange(node, "/consent/none")))
      #expect(cut.utf8.count == whole.utf8.count / 2)
      #expect(whole.hasPrefix(cut))
    }
  }

  @Test func aDripComesWhole() async throws {
    try await serving { node in
      let whole = try #require(body(of: try await exchange(node, "/consent/none")))
      try node.misbehave(.drip, on: .page, number: 0)
      let dripped = body(of: try await exchange(node, "/consent/none"))
      #expect(dripped == whole)
    }
  }

  @Test func aSlowAnswerTakesItsTime() async throws {
    try await serving { node in
      try node.misbehave(.slow, on: .page, number: 50)
      let start = BootInstant.now
      let next = try await status(node, "/consent/none")
      #expect(next == 404)
      #expect(BootInstant.now - start >= .milliseconds(50))
    }
  }

  @Test func aClientThatGetsNoAnswerMayLeave() async throws {
    try await serving { node in
      try node.misbehave(.neverAnswers, on: .page)
      let stream = try await Connector.connect(to: .loopback4(port: node.port))
      try await stream.write(
        Array("GET /consent/none HTTP/1.1\r\nHost: 127.0.0.1:\(node.port)\r\n\r\n".utf8))
      while node.state.calls[.page] == nil { try await LoopActor.sleep(for: .milliseconds(1)) }
      stream.shutdownWrite()
      #expect(await ended(stream))
    }
  }

  @Test func stoppingCutsWhatStillRuns() async throws {
    let node = try DevelopmentNode()
    node.start()
    try node.misbehave(.neverAnswers, on: .page)
    let stream = try await Connector.connect(to: .loopback4(port: node.port))
    try await stream.write(
      Array("GET /consent/none HTTP/1.1\r\nHost: 127.0.0.1:\(node.port)\r\n\r\n".utf8))
    while node.state.calls[.page] == nil { try await LoopActor.sleep(for: .milliseconds(1)) }
    await node.stop()
    #expect(await ended(stream))
    await #expect(throws: StreamError.self) {
      _ = try await Connector.connect(to: .loopback4(port: node.port))
    }
  }

  @Test func theDateIsTheNodesOwn() async throws {
    try await serving { node in
      node.settings.clockSkew = .seconds(-1_000_000_000)
      let answer = try await exchange(node, "/dev")
      #expect(answer.contains(" \(year(WallInstant.now.unixSeconds - 1_000_000_000)) "))
    }
  }

  @Test func onlyTheDateHeaderIsWrong() async throws {
    try await serving { node in
      try node.misbehave(.date, on: .attest, number: -86_400 * 400)
      let answer = try await exchange(node, "/admin-api/tee/attest", method: "POST")
      let year = year(WallInstant.now.unixSeconds)
      #expect(answer.contains("\r\nDate: "))
      #expect(!answer.contains(" \(year) "))
      let right = try await exchange(node, "/dev")
      #expect(right.contains(" \(year) "))
    }
  }

  @Test func theReadyLineSaysAllThatASessionNeeds() throws {
    let node = try DevelopmentNode()
    let line = try JSON(parsing: Array(node.readyLine.utf8))
    #expect(!node.readyLine.contains("\n"))
    #expect(line["url"]?.string == "http://127.0.0.1:\(node.port)")
    #expect(line["transportKey"]?.string?.utf8.count == 64)
    for name in ["account", "accessToken", "refreshToken", "package", "returnTo", "control"] {
      #expect(line[name]?.string?.isEmpty == false, "\(name)")
    }
    #expect(line["origins"] == .array([.string("http://127.0.0.1:\(node.port)")]))
  }
}
