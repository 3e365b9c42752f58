import EventLoop
import FoundationEssentials

/// The session's tokens, and the one refresh that all requests share which find them expired.
@LoopActor final class TokenKeeper {
  /// Tokens, and a number that tells one pair from the next.
  struct Current {
    let tokens: SessionTokens
    let generation: Int
  }

  private let transport: any NodeTransport
  private let onChange: MeroClient.TokensChanged?
  private var tokens: SessionTokens?
  private var generation = 0
  /// The node refused this generation's refresh token: it is not sent again.
  private var refused = false
  /// The one under way, and whose it is.
  private var refresh: (generation: Int, task: Task<ConsentError?, Never>)?

  nonisolated init(
    _ tokens: SessionTokens, transport: any NodeTransport, onChange: MeroClient.TokensChanged?
  ) {
    self.tokens = tokens
    self.transport = transport
    self.onChange = onChange
  }

  /// - Throws: `CONSENT_CANCELLED` once the client is closed.
  func current() throws(ConsentError) -> Current {
    guard let tokens else { throw ConsentError(.cancelled) }
    return Current(tokens: tokens, generation: generation)
  }

  func replace(_ tokens: SessionTokens) {
    guard self.tokens != nil else { return }
    take(tokens)
  }

  func wipe() {
    tokens = nil
    generation += 1
    refresh?.task.cancel()
  }

  /// Gets tokens newer than those that were refused. Requests that ask at the same time share
  /// one refresh, since a refresh token is good for one.
  ///
  /// - Throws: `SESSION_EXPIRED` when the node refuses; what the transport throws.
  func renew(after old: Current) async throws(ConsentError) {
    // Tokens may change while the refresh runs: only their number says who won.
    while generation == old.generation {
      if refused { throw ConsentError(.sessionExpired) }
      let refresh = refresh ?? startRefresh(of: old)
      // That older tokens were refused says nothing of these.
      if let error = await refresh.task.value, generation == old.generation,
        refresh.generation == generation
      {
        throw error
      }
    }
    _ = try current()
  }

  /// Returns once no refresh is under way: what the node gave is with whoever keeps the tokens.
  func refreshEnds() async {
    while let refresh { _ = await refresh.task.value }
  }

  private func startRefresh(
    of old: Current
  ) -> (generation: Int, task: Task<ConsentError?, Never>) {
    // A task of its own: the request that needed it first may be cancelled, the others go on.
    let task = Task { @LoopActor () -> ConsentError? in
      do throws(ConsentError) {
        let fresh = try await askNode(old.tokens)
        // Told before they are used: the old pair is spent, and who keeps tokens must have these.
        if generation == old.generation { await onChange?(fresh) }
        if generation == old.generation { take(fresh) }
        refresh = nil
        return nil
      } catch {
        if generation == old.generation, error.code == .sessionExpired { refused = true }
        refresh = nil
        return error
      }
    }
    refresh = (old.generation, task)
    return (old.generation, task)
  }

  private func askNode(_ old: SessionTokens) async throws(ConsentError) -> SessionTokens {
    guard let refreshToken = old.refreshToken else { throw ConsentError(.sessionExpired) }
    let body = TokensBody(accessToken: old.accessToken, refreshToken: refreshToken)
    let reply = try await transport.send(
      NodeCall(method: "POST", path: NodeCall.refreshPath, body: try AnswerJSON.encode(body)))
    switch reply.status {
    case 200:
      let fresh = try AnswerJSON.decode(TokensBody.self, from: reply.body)
      let tokens = SessionTokens(accessToken: fresh.accessToken, refreshToken: fresh.refreshToken)
      guard tokens.unusableField == nil else {
        throw .nodeError("The node's answer has a token that cannot be used.")
      }
      return tokens
    case 400, 401, 403, 422:
      throw ConsentError(.sessionExpired, nodeStatus: reply.status)
    default:
      throw .unexpected(status: reply.status)
    }
  }

  private func take(_ tokens: SessionTokens) {
    self.tokens = tokens
    generation += 1
    refused = false
  }
}
