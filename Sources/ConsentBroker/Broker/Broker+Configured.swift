import Crypto
import EventLoop
import FoundationEssentials
import MeroConsent

/// Where the sessions of the configuration find their tokens and leave their keys.
struct ConfiguredPlaces: Sendable {
  let tokens: TokenFiles
  /// `nil` where there is no runtime directory: the sessions are open, and only who has had their
  /// keys before can use them.
  let keys: SessionKeyFiles?
}

/// Releases and sessions of the configuration.
extension Broker {
  /// Does what the configuration says now: after `restore()`, and whenever it was read again.
  /// What is as before stays untouched. Where a newer one comes meanwhile, that one counts.
  ///
  /// A session without usable tokens is open all the same and says `needsSession`; the log says
  /// which file and why.
  func apply(_ configuration: Configuration, _ places: ConfiguredPlaces) async throws(Problem) {
    configuredPlaces = places
    let reading = configurationTurns.reading(of: configuration)
    try await configurationTurns.take { () async throws(Problem) in
      try await putInForce(reading, places)
    }
  }

  /// - Precondition: it is this one's turn.
  private func putInForce(
    _ reading: ConfigurationTurns.Reading, _ places: ConfiguredPlaces
  ) async throws(Problem) {
    guard configurationTurns.isNewest(reading) else { return }
    let configuration = reading.configuration
    unapplied = nil
    await trust(configuration.releases)
    var kept: Set<String> = []
    for session in configuration.sessions {
      guard configurationTurns.isNewest(reading) else { return }
      do throws(Problem) {
        kept.insert(try await open(session, places).id)
      } catch {
        try postpone(reading, because: error)
        // As it was, until that can be written.
        let start = RandomName.configured(session)
        guard let found = vault.all.first(where: { $0.id.hasPrefix(start) }) else { continue }
        kept.insert(found.id)
        guard let tokens = read(session, places), !found.isAnotherAccounts(than: session, tokens)
        else { continue }
        try await use(tokens, in: found)
      }
    }
    for session in Array(vault.all) where session.isConfigured && !kept.contains(session.id) {
      guard configurationTurns.isNewest(reading) else { return }
      do throws(Problem) {
        try await end(session, because: "The session was taken out of the configuration.")
        log.info("session of the configuration closed", .session(session.id))
      } catch {
        try postpone(reading, because: error)
      }
    }
    guard configurationTurns.isNewest(reading) else { return }
    configured = Dictionary(
      configuration.sessions.map { (RandomName.configured($0), $0) }, uniquingKeysWith: { $1 })
    places.keys?.removeAll(but: Set(configuration.sessions.map(\.name)))
  }

  /// Where the disk takes nothing, the rest of the configuration is in force all the same.
  private func postpone(
    _ reading: ConfigurationTurns.Reading, because problem: Problem
  ) throws(Problem) {
    guard health == .readOnly else { throw problem }
    if unapplied == nil { log.warning("a session of the configuration cannot be recorded yet") }
    unapplied = reading
  }

  /// The disk takes what it did not.
  func applyAgain() {
    guard unapplied != nil else { return }
    Task {
      try? await configurationTurns.take { () async throws(Problem) in
        guard let reading = unapplied, let places = configuredPlaces else { return }
        try await putInForce(reading, places)
      }
    }
  }

  /// Sessions that trust releases have to ask their nodes anew: one that was trusted may not be.
  private func trust(_ releases: [TrustedRelease]) async {
    guard releases != self.releases else { return }
    self.releases = releases
    let changes = vault.all.filter(\.trust.dependsOnReleases).map { session in
      Task { await renewClient(of: session) }
    }
    for change in changes { await change.value }
  }

  /// How long a node that is trusted no more may go on with renewing tokens.
  private static let renewalPatience: Duration = .seconds(5)

  /// Tells the session's client what the session is now. Its tokens stay, and so do its calls that
  /// are under way, but for those to a node that has not proved what it has to now.
  func renewClient(of session: Session) async {
    let trust = session.trust.resolved(releases)
    guard let client = session.client else { return makeClientAgain(of: session) }
    let change = await client.change(to: trust)
    // The releases may have changed once more meanwhile.
    guard trust == session.trust.resolved(releases) else { return await renewClient(of: session) }
    do throws(ConsentError) {
      try await client.change(origins: session.row.origins, returnTo: session.row.returnTo)
    } catch {
      log.warning("a session cannot work as configured: \(error.advice)", .session(session.id))
    }
    if case .none = change { return }
    if case .endsCalls = change {
      await vault.refreshesEnd(of: [session], until: .now + Self.renewalPatience)
      await client.endDistrusted()
    }
    if trust == nil {
      log.warning("the session's node is not trusted any more", .session(session.id))
      if session.client === client { session.client = nil }
      await client.close()
    }
    attestAnew(session)
  }

  /// A release that the session trusts is there again, and the tokens still are.
  private func makeClientAgain(of session: Session) {
    guard let tokens = session.tokens, let again = try? client(of: session, with: tokens) else {
      return
    }
    session.client = again
    attestAnew(session)
  }

  private func attestAnew(_ session: Session) {
    for request in live.of(session: session) { watcher.hurry(request) }
    waits.signalAll(of: session.id)
  }

  private func open(
    _ wanted: ConfiguredSession, _ places: ConfiguredPlaces
  ) async throws(Problem) -> Session {
    let tokens = read(wanted, places)
    let start = RandomName.configured(wanted)
    var found = vault.all.first { $0.id.hasPrefix(start) }
    if let session = found, session.isAnotherAccounts(than: wanted, tokens) {
      // Its requests are the other account's: to this one, the node does not have them.
      try await end(session, because: "The configuration has another account's session now.")
      found = nil
    }
    let key = key(of: wanted, found, places)
    let row = row(of: wanted, tokens, key: key, found?.row)
    let isNew = found == nil
    let session: Session
    if let found {
      session = found
    } else {
      session = Session(row, trust: wanted.trust, eventsAfter: try await lastEvent())
    }
    if isNew || !session.row.says(the: row) {
      try await record(row)
      vault.change(session, to: row, trust: wanted.trust)
      await renewClient(of: session)
    }
    if isNew {
      vault.add(session)
      log.info("session of the configuration opened", .session(session.id))
    }
    // Who finds the key finds a session that works.
    if let tokens { try await use(tokens, in: session) }
    publish(key, of: wanted, places)
    return session
  }

  /// - Returns: `nil` where it stays the one that it was, and there is nowhere to publish it.
  private func key(
    of wanted: ConfiguredSession, _ found: Session?, _ places: ConfiguredPlaces
  ) -> String? {
    // A key that was published for another session opens nothing of this one.
    guard found != nil else { return SessionKey.make() }
    guard let keys = places.keys else { return nil }
    return keys.key(of: wanted.name) ?? SessionKey.make()
  }

  private func lastEvent() async throws(Problem) -> Int64 {
    try await read(for: nil) { ledger throws(LedgerError) in try await ledger.lastSequence() }
  }

  private func record(_ row: SessionRow) async throws(Problem) {
    let ledger = try ledger()
    do {
      try await recorded { () async throws(LedgerError) in try await ledger.record(row) }
    } catch {
      throw .consent(error, requestId: nil)
    }
  }

  private func row(
    of wanted: ConfiguredSession, _ tokens: SessionTokens?, key: String?, _ before: SessionRow?
  ) -> SessionRow {
    let account =
      wanted.account ?? tokens.flatMap { TokenSubject.read($0.accessToken) } ?? before?.account
    let now = tools.now().asKept
    let end = Hex.encode(SHA256.hash(Array((account ?? "").utf8)).prefix(4))
    return SessionRow(
      id: before?.id ?? RandomName.configured(wanted) + end,
      keyHash: key.map(SessionKey.hash) ?? before?.keyHash ?? [],
      package: wanted.package, account: account, nodeURL: wanted.node.url,
      trust: StoredTrust.text(wanted.trust), origins: wanted.origins, returnTo: wanted.returnTo,
      createdAt: before?.createdAt ?? now, usedAt: now)
  }

  private func publish(_ key: String?, of wanted: ConfiguredSession, _ places: ConfiguredPlaces) {
    guard let key, let keys = places.keys, keys.key(of: wanted.name) != key else { return }
    do {
      try keys.publish(key, of: wanted.name)
    } catch {
      log.warning("cannot publish the key of a session in \(keys.directory): \(error)")
    }
  }

  // MARK: Tokens

  private func read(_ wanted: ConfiguredSession, _ places: ConfiguredPlaces) -> SessionTokens? {
    do throws(TokenFiles.Fault) {
      return try places.tokens.tokens(of: wanted)
    } catch {
      log.warning("a session of the configuration has no tokens: \(error.text)")
      return nil
    }
  }

  /// Uses tokens that were read, unless they are those that were read before: what the node gave
  /// in their place since is newer.
  private func use(_ tokens: SessionTokens, in session: Session) async throws(Problem) {
    let hash = SHA256.hash(Array("\(tokens.accessToken) \(tokens.refreshToken ?? "")".utf8))
    guard session.tokensRead != hash || session.client == nil else { return }
    session.tokensRead = hash
    do throws(Problem) {
      try await replaceTokens(of: session, with: tokens)
    } catch {
      guard case .consent(let refusal, _) = error else { throw error }
      log.warning("a session of the configuration cannot work: \(refusal.advice)")
    }
  }

  /// The node refused the tokens of a configured session: somebody may have written newer ones.
  func readTokensAgain(of session: Session) {
    let before = session.tokensRead
    Task {
      try? await configurationTurns.take { () async throws(Problem) in
        guard let places = configuredPlaces,
          let wanted = configured.first(where: { session.id.hasPrefix($0.key) })?.value,
          let tokens = read(wanted, places), session.tokensRead == before, !session.isClosed,
          !session.isAnotherAccounts(than: wanted, tokens)
        else { return }
        try await use(tokens, in: session)
      }
    }
  }
}

extension Session {
  /// Whether the configuration's session is known to be another account's than this one.
  fileprivate func isAnotherAccounts(
    than wanted: ConfiguredSession, _ tokens: SessionTokens?
  ) -> Bool {
    if let account = wanted.account, let mine = row.account {
      return account.lowercased() != mine.lowercased()
    }
    return tokens?.areAnotherAccounts(than: row.account) ?? false
  }
}

extension SessionRow {
  /// Whether it is as `other`, but for when it was used.
  fileprivate func says(the other: SessionRow) -> Bool {
    var other = other
    other.usedAt = usedAt
    return self == other
  }
}
