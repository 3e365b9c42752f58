import Crypto
import EventLoop
import FoundationEssentials
package import MeroConsent

extension Broker {
  /// Opens a session with a node. The node is not asked.
  package func openSession(_ opening: SessionOpening) async throws(Problem) -> OpenedSession {
    _ = try ledger()
    try await makeRoom()
    openingsUnderWay += 1
    defer { openingsUnderWay -= 1 }
    let node = try checked(opening)
    let trust = try trust(of: opening)
    let key = SessionKey.make()
    let now = tools.now().asKept
    let row = SessionRow(
      id: RandomName.session(), keyHash: SessionKey.hash(key), package: opening.package,
      account: opening.account ?? TokenSubject.read(opening.tokens.accessToken),
      nodeURL: node.url, trust: StoredTrust.text(trust), origins: opening.origins,
      returnTo: opening.returnTo, createdAt: now, usedAt: now)
    let session = Session(row, trust: trust, eventsAfter: 0)
    session.client = try client(of: session, with: opening.tokens)
    session.tokens = opening.tokens
    let trusted = releases
    let ledger = try ledger()
    do {
      try await checkRecordCanGrow()
      try await recorded { () async throws(LedgerError) in
        try await ledger.insert(row, leavingRoom: true)
      }
    } catch {
      await session.client?.close()
      throw .consent(error, requestId: nil)
    }
    vault.add(session)
    keep(session.tokens ?? opening.tokens, of: session)
    housekeeping.plan()
    onCountsChanged?()
    log.info("session opened", .session(session.id), .event(.sessionOpened))
    // Whoever renews the clients of a former trust has not seen this one.
    if session.trust.dependsOnReleases, releases != trusted { await renewClient(of: session) }
    return OpenedSession(session: session.id, key: key)
  }

  /// Finds the session of a bearer key, in constant time, and notes that it is in use.
  ///
  /// - Parameter key: what follows `Bearer `; `nil` without such a header.
  /// - Throws: `.unauthorized` without a key, `.noSession` for one that opens nothing.
  package func authenticate(key: ArraySlice<UInt8>?) throws(Problem) -> Caller {
    _ = try ledger()
    guard let key else { throw .unauthorized }
    guard let session = vault.session(key: key) else { throw .noSession }
    housekeeping.noteUse(of: session)
    return Caller(session: session.id)
  }

  package func session(of caller: Caller) throws(Problem) -> SessionView {
    try session(caller).view
  }

  /// Asks the session's node for nothing in particular, to see whether everything between here
  /// and there works.
  package func check(_ caller: Caller) async throws(Problem) -> SessionCheck {
    let session = try session(caller)
    guard let client = session.client, !session.tokensAreSpent else {
      throw .consent(session.tokensAreNeeded, requestId: nil)
    }
    let given = session.tokensGiven
    do throws(ConsentError) {
      let checked = try await nodeTurns.pass(for: session, until: lineEnd) {
        () async throws(ConsentError) in
        let nodeClock = try await client.check()
        noteIsReachable(session)
        noteTime(ofNode: nodeClock)
        return SessionCheck(checkedAt: tools.now(), nodeClock: nodeClock)
      }
      guard let checked else { throw ConsentError(.nodeUnreachable) }
      return checked
    } catch {
      noteAnswer(.failure(error), of: session, given: given)
      throw .consent(error, requestId: nil)
    }
  }

  /// Takes new tokens; undecided requests that waited for them are read again at once.
  package func replaceTokens(
    of caller: Caller, with tokens: SessionTokens
  ) async throws(Problem) -> SessionView {
    let session = try session(caller)
    try await replaceTokens(of: session, with: tokens)
    return session.view
  }

  func replaceTokens(of session: Session, with tokens: SessionTokens) async throws(Problem) {
    guard !tokens.areAnotherAccounts(than: session.row.account) else {
      throw .invalid(
        field: "accessToken",
        detail: "The field “accessToken” is another account's token than the session's. Open a "
          + "session for that account.")
    }
    if let client = session.client {
      do {
        try await client.replaceTokens(tokens)
      } catch {
        throw .consent(error, requestId: nil)
      }
    } else {
      session.client = try client(of: session, with: tokens)
    }
    session.tokens = tokens
    keep(tokens, of: session)
    session.tokensGiven += 1
    session.tokensAreSpent = false
    waits.signalAll(of: session.id)
    for request in live.of(session: session) { watcher.hurry(request) }
    log.info("session has new tokens", .session(session.id))
  }

  /// Ends the session: its undecided requests are cancelled, its key is no session's any more.
  package func closeSession(of caller: Caller) async throws(Problem) {
    let session = try session(caller)
    guard !session.isConfigured else { throw .sessionIsConfigured }
    try await end(session, because: "The app closed its session.")
    log.info("session closed", .session(caller.session), .event(.sessionEnded))
  }

  /// Ends a session, whoever wants it.
  func end(_ session: Session, because detail: String) async throws(Problem) {
    let ledger = try ledger()
    session.endsUnderWay += 1
    defer { session.endsUnderWay -= 1 }
    // What was told is not cancelled: it is written first.
    for request in live.of(session: session) where request.unwritten?.told != nil {
      _ = await look(at: request)
      if let obstacle = request.unwritten?.obstacle {
        throw .consent(Self.cannotWrite(obstacle), requestId: nil)
      }
    }
    // Another one may have its id since.
    guard !session.isClosed else { return }
    let now = tools.now()
    let changes: [RecordedChange]
    do {
      changes = try await recorded { () async throws(LedgerError) in
        try await ledger.end(session: session.id, at: now, detail: detail)
      }
    } catch {
      throw .consent(error, requestId: nil)
    }
    for change in changes { ended(change, of: session, outcome: nil) }
    guard !session.isClosed else { return }
    vault.remove(session)
    recent.forget(session: session.id)
    tools.secrets?.forget(session.id)
    session.events.end()
    waits.signalAll(of: session.id)
    onCountsChanged?()
  }

  /// The caller's session.
  ///
  /// - Throws: `.noSession` where it was closed while the call was on its way.
  func session(_ caller: Caller) throws(Problem) -> Session {
    _ = try ledger()
    guard let session = vault.session(id: caller.session) else { throw .noSession }
    return session
  }

  /// The node refuses the session's tokens for good: its app is told that it is needed.
  ///
  /// - Parameter given: `tokensGiven` when the call began.
  func tokensWereRefused(of session: Session, given: Int) {
    guard !session.tokensAreSpent, session.tokensGiven == given else { return }
    session.tokensAreSpent = true
    waits.signalAll(of: session.id)
    log.warning(
      "the node no longer takes the session's tokens", .session(session.id),
      .event(.sessionNeedsTokens))
    if session.isConfigured { readTokensAgain(of: session) }
  }

  /// Keeps what a refresh brought: the older tokens are spent.
  private func take(_ tokens: SessionTokens, of session: Session) {
    session.tokens = tokens
    // While a session is being opened it is kept as soon as it is open.
    if vault.session(id: session.id) === session { keep(tokens, of: session) }
  }

  /// For the next process.
  private func keep(_ tokens: SessionTokens, of session: Session) {
    tools.secrets?.keep(tokens, of: session.id, read: session.tokensRead)
  }

  /// Gives open sessions the tokens that a former process left for this one.
  func recoverTokens() {
    guard let secrets = tools.secrets else { return }
    let left = secrets.recover(Set(vault.all.map(\.id)))
    for session in vault.all {
      guard let kept = left[session.id] else { continue }
      // Whoever may write to what the service manager holds must not turn a verdict.
      guard !kept.tokens.areAnotherAccounts(than: session.row.account) else {
        log.warning("the tokens that were kept are another account's", .session(session.id))
        secrets.forget(session.id)
        continue
      }
      do throws(Problem) {
        session.client = try client(of: session, with: kept.tokens)
        session.tokens = kept.tokens
        session.tokensRead = kept.read
      } catch {
        secrets.forget(session.id)
      }
    }
  }

  func client(
    of session: Session, with tokens: SessionTokens
  ) throws(Problem) -> MeroClient {
    guard let trust = session.trust.resolved(releases) else {
      throw .consent(
        ConsentError(
          .nodeUntrusted,
          advice: "The session trusts releases of the daemon's configuration, and there is none. "
            + "“mero-consent node trust” adds one."),
        requestId: nil)
    }
    do {
      return try tools.makeClient(
        BrokerTools.ClientParts(
          node: try NodeAddress(session.row.nodeURL), trust: trust, tokens: tokens,
          origins: session.row.origins, returnTo: session.row.returnTo, options: settings.client,
          onTokensChanged: { [weak self, weak session] tokens in
            guard let self, let session else { return }
            await self.take(tokens, of: session)
          }))
    } catch {
      throw .consent(error, requestId: nil)
    }
  }

  /// At the limit, ends a session that nobody counts on.
  private func makeRoom() async throws(Problem) {
    func isFull() -> Bool { vault.countOfApps + openingsUnderWay >= BrokerLimits.sessions }
    if isFull(), let session = SessionRoom.choice(of: vault.all, at: .now) {
      try await end(session, because: "There were too many sessions, and this one was not in use.")
      log.warning("unused session ended to make room", .session(session.id))
    }
    // Others may have come meanwhile.
    guard !isFull() else { throw .tooMany(.sessions, retryAfter: 60) }
  }

  /// An app that says nothing means the releases that the person trusts, where there are any.
  private func trust(of opening: SessionOpening) throws(Problem) -> SessionTrust {
    guard let trust = opening.trust else {
      return releases.isEmpty ? .node(.unconfigured) : .releases(nil)
    }
    if case .releases(let names?) = trust,
      !names.allSatisfy({ name in releases.contains { $0.name == name } })
    {
      throw .invalid(
        field: "node.trust.releases",
        detail: "The field “node.trust.releases” names a release that the daemon's configuration "
          + "does not trust.")
    }
    return trust
  }

  private func checked(_ opening: SessionOpening) throws(Problem) -> NodeAddress {
    guard BrokerLimits.isPackage(opening.package) else {
      throw .invalid(
        field: "package",
        detail: "The field “package” is empty, longer than \(BrokerLimits.packageBytes) bytes, "
          + "or has spaces.")
    }
    guard opening.origins.count <= BrokerLimits.origins else {
      throw .invalid(
        field: "origins",
        detail: "The field “origins” has more than \(BrokerLimits.origins) items.")
    }
    do {
      return try NodeAddress(opening.nodeURL)
    } catch {
      throw .consent(error, requestId: nil)
    }
  }
}

extension SessionTokens {
  /// Whether these are known to be another account's. To that account, the node has none of the
  /// session's requests: every one of them would end as replaced, whatever was decided.
  ///
  /// - Parameter account: the session's. Where an app gave it, it is 64 hex digits, and only a
  ///   subject of that form can contradict it.
  func areAnotherAccounts(than account: String?) -> Bool {
    guard let account, let subject = TokenSubject.read(accessToken) else { return false }
    guard Self.isAccount(subject) || !Self.isAccount(account) else { return false }
    return account != subject
  }

  private static func isAccount(_ text: String) -> Bool {
    text.utf8.count == 64 && Hex.decode(text) != nil
  }
}
