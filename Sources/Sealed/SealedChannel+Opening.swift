import Crypto

// Opening a session: one for all who find that there is none.
extension SealedChannel {
  /// The session that is open, or one that is opened now.
  func usableSession() async throws(SealedError) -> SealedSession {
    while true {
      guard !isClosed else { throw .closed }
      guard !Task.isCancelled else { throw .cancelled }
      if let session {
        if session.isUsable(at: clock.now()) { return session }
        drop(session)
      }
      try await waitForOpening()
    }
  }

  /// Joins the opening that is under way, or starts it. A caller that is cancelled leaves alone.
  private func waitForOpening() async throws(SealedError) {
    let number = nextWaiter
    nextWaiter += 1
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation {
        (waiter: CheckedContinuation<Result<Void, SealedError>, Never>) in
        // Entering the handler suspends for a moment: `leave` may have come before the waiter,
        // and so may the session.
        if Task.isCancelled { return waiter.resume(returning: .failure(.cancelled)) }
        if session != nil { return waiter.resume(returning: .success(())) }
        waiters[number] = waiter
        if opening == nil { opening = Task { await runOpening() } }
      }
    } onCancel: {
      Task { await leave(number) }
    }
    try result.get()
  }

  private func leave(_ number: UInt64) {
    waiters.removeValue(forKey: number)?.resume(returning: .failure(.cancelled))
  }

  func answerWaiters(_ result: Result<Void, SealedError>) {
    let waiting = waiters.values
    waiters = [:]
    for waiter in waiting { waiter.resume(returning: result) }
  }

  private func runOpening() async {
    var result = Result<Void, SealedError>.success(())
    do { try await open() } catch { result = .failure(error) }
    opening = nil
    answerWaiters(result)
  }

  private func open() async throws(SealedError) {
    var rules = RetryRules()
    while true {
      do {
        return try await handshake(with: try await transportKey())
      } catch {
        guard !isClosed else { throw .closed }
        guard let step = rules.step(after: error) else { throw error }
        switch step {
        case .again(let pause): try await wait(pause)
        case .newAttestation: try forgetKey(attestedKey)
        // Nothing was asked of a session yet: no answer to a handshake.
        case .newSession: throw error
        }
      }
    }
  }

  private func transportKey() async throws(SealedError) -> X25519.PublicKey {
    switch trust {
    case .nothing:
      throw .untrusted(.nothingConfigured)
    case .pinned(let key):
      return key
    case .attested(let verifier):
      if let attestedKey, await verifier.proofStillHolds() { return attestedKey }
      attestedKey = nil
      let key = try await attest(verifier)
      attestedKey = key
      return key
    }
  }

  private func attest(
    _ verifier: any AttestationVerifier
  ) async throws(SealedError) -> X25519.PublicKey {
    let nonce = SecureRandom.bytes(count: TransportBinding.nonceSize)
    let reply = try await post(
      CarrierRequest(
        path: SealedProtocol.attestPath, contentType: "application/json",
        body: AttestCall.body(nonce: nonce), replyLimit: SealedLimits.attestReply))
    defer { reply.abandon() }
    try await requireSuccess(reply)
    let text = try await body(
      of: reply, limit: SealedLimits.attestReply, tooLong: .foreignReply(status: 200))
    let evidence = try AttestCall.evidence(nonce: nonce, reply: text, date: reply.head.date)
    do { try await verifier.verify(evidence) } catch { throw .untrusted(.attestation(error)) }
    return evidence.transportKey
  }

  private func handshake(with key: X25519.PublicKey) async throws(SealedError) {
    let handshake: ClientHandshake
    do { handshake = try ClientHandshake(key: key) } catch { throw .untrusted(.lowOrderPoint) }
    let opened = clock.now()
    let reply = try await post(
      CarrierRequest(
        path: SealedProtocol.handshakePath, contentType: SealedProtocol.contentType,
        body: handshake.request, replyLimit: SealedLimits.handshakeReply))
    defer { reply.abandon() }
    try await requireSealed(reply)
    let message = try await body(
      of: reply, limit: SealedLimits.handshakeReply, tooLong: .flawed(.handshakeTooLong))
    guard !isClosed else { throw .closed }
    let grant: SessionGrant
    do {
      grant = try handshake.finish(reply: message)
    } catch {
      switch error {
      case .flaw(let flaw): throw .flawed(flaw)
      case .crypto(.lowOrderPoint): throw .untrusted(.lowOrderPoint)
      case .crypto(.notAuthentic), .crypto(.keyLength): throw .untrusted(.handshakeNotAuthentic)
      }
    }
    let session = SealedSession(grant, transportKey: key, opened: opened)
    self.session = session
    session.watch = Task { await watch(session) }
  }

  /// Ends the session when its time is over, also if nobody sends anything any more: keys that
  /// are of no use must not stay in memory.
  private func watch(_ session: SealedSession) async {
    while !Task.isCancelled, self.session === session {
      let left = session.end - clock.now()
      guard left > .zero else { return drop(session) }
      do { try await clock.sleep(left) } catch { return }
    }
  }
}
