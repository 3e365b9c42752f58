import DevelopmentNode
import EventLoop
import FoundationEssentials
import MeroConsent
import Testing

/// The main job without the daemon: ask, decide on the page, come back, read the result.
@LoopActor @Suite(.timeLimit(.minutes(1))) struct WholeWayTests {
  nonisolated static let requests: [ConsentRequest] = ConsentAPITests.kinds.map { row in
    let body = try? JSONDecoder().decode(ConsentRequestBody.self, from: Data(row.body.utf8))
    return body?.request ?? .createOrg(name: "undecodable")
  }

  /// Presses a button as a browser does, and answers the address that the app would see.
  private func press(
    _ decision: ConsentBook.Decision, on started: ConsentStarted, _ node: DevelopmentNode
  ) throws -> String {
    let record = try node.decide(started.requestId, decision)
    return try #require(node.state.callbackAddress(of: record))
  }

  @Test(arguments: requests)
  func everyKindIsApprovedAndDeclined(_ request: ConsentRequest) async throws {
    try await NodeAndClient.serving(prefix: "/node-7") { it in
      it.node.settings.callback = Callback("http://127.0.0.1:9/return")
      for decision in ConsentBook.Decision.allCases {
        let started = try await it.client.requestConsent(request)
        #expect(started.url.contains("/node-7/consent/"))
        let returned = try press(decision, on: started, it.node)
        let result = try await it.client.confirmConsentReturn(started, returned: returned)
        #expect(result.status == (decision == .approve ? .approved : .declined))
        #expect((result.outcome != nil) == (decision == .approve && request.kind.outcome != nil))
      }
    }
  }

  @Test func aReturnIsAHintAndTheNodeDecides() async throws {
    try await NodeAndClient.serving { it in
      let started = try await it.client.requestConsent(.createOrg(name: "Acme"))
      let forged = "http://127.0.0.1:9/return?request_id=\(started.requestId)&result=approved"
      await #expect(throws: ConsentError(.notDecided)) {
        try await it.client.confirmConsentReturn(started, returned: forged)
      }
      let newer = try await it.client.requestConsent(.createOrg(name: "Other"))
      await #expect(throws: ConsentError(.replaced)) {
        try await it.client.confirmConsentReturn(started, returned: forged)
      }
      await #expect(throws: ConsentError(.requestMismatch)) {
        try await it.client.confirmConsentReturn(newer, returned: forged)
      }
    }
  }

  @Test func anExpiredTokenIsRefreshedOnceForCallsThatExpireTogether() async throws {
    try await NodeAndClient.serving { it in
      let started = try await it.client.requestConsent(.createOrg(name: "Acme"))
      it.node.expireTokens()
      async let first = it.client.consentResult(started.requestId)
      async let second = it.client.consentResult(started.requestId)
      let statuses = [try await first.status, try await second.status]
      #expect(statuses == [.pending, .pending])
      #expect(it.node.state.calls[.refresh] == 1)
    }
  }

  @Test func aWrongClockOfTheNodeDoesNotMakeARequestExpired() async throws {
    try await NodeAndClient.serving { it in
      it.node.settings.clockSkew = .seconds(-86_400)
      it.node.settings.requestLifetime = .seconds(60)
      let fresh = try it.another()
      let started = try await fresh.start(.createOrg(name: "Acme"))
      #expect(started.lifetime > .seconds(5) && started.lifetime <= .seconds(61))
    }
  }

  @Test func wrappedAnswersAreRead() async throws {
    try await NodeAndClient.serving { it in
      it.node.settings.wrapsAnswers = true
      let started = try await it.client.requestConsent(.createOrg(name: "Acme"))
      let result = try await it.client.consentResult(started.requestId)
      #expect(result.status == .pending)
    }
  }
}
