import Crypto
import Desktop
import EventLoop
import FoundationEssentials
import MeroConsent

// A start happens once for its `Idempotency-Key`, whoever leaves meanwhile.

/// A start that is asking its node, for repeats with the same `Idempotency-Key`.
struct StartUnderWay {
  let body: [UInt8]
  let work: SharedWork<Result<StartResult, Problem>>
}

/// Of what is asked; whether its page opens makes it no other request.
struct StartFingerprint {
  let hash: [UInt8]
  /// How much is asked.
  let bytes: Int

  init(_ what: String, _ body: some Encodable) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    // What cannot be encoded cannot be sent either, and is refused there.
    let encoded = (try? encoder.encode(body)).map { Array($0) } ?? []
    hash = SHA256.hash(Array("\(what) ".utf8) + encoded)
    bytes = encoded.count
  }
}

/// Whether a new request's page is to be opened, and with what its app may come to the front.
struct PageWish {
  let open: Bool
  let token: ActivationToken?
}

extension Broker {
  /// Runs `body` once for a key: a repeat shares the one under way, or answers what is recorded.
  ///
  /// The work is not the caller's: a client that leaves does not leave half a start behind.
  func once(
    _ key: String?, _ fingerprint: StartFingerprint, _ wish: PageWish, in session: Session,
    _ body: @escaping @LoopActor (Idempotency?) async throws(Problem) -> StartResult
  ) async throws(Problem) -> StartResult {
    if let key, !(1...BrokerLimits.idempotencyKey).contains(key.utf8.count) {
      throw .invalid(
        field: "Idempotency-Key",
        detail: "The Idempotency-Key is empty or longer than \(BrokerLimits.idempotencyKey) bytes.")
    }
    if let key, let running = session.starts[OpaqueID(key)] {
      guard running.body == fingerprint.hash else { throw .idempotencyKeyReused }
      var result = try await Self.result(of: running.work)
      result.repeated = true
      return result
    }
    // Nothing is awaited before the key is taken, so that of two calls one is the first.
    let idempotency = key.map { Idempotency(key: $0, body: fingerprint.hash) }
    session.startsUnderWay += 1
    startsUnderWay += 1
    let work = SharedWork<Result<StartResult, Problem>> { [self] in
      defer {
        startsUnderWay -= 1
        session.startsUnderWay -= 1
        if let key { session.starts[OpaqueID(key)] = nil }
      }
      do throws(Problem) {
        if let idempotency, let known = try await recorded(idempotency, in: session) {
          return .success(known)
        }
        guard !session.isClosed else { throw .noSession }
        guard session.undecided + session.startsUnderWay <= BrokerLimits.openRequests else {
          throw .tooMany(.openRequests, retryAfter: 5)
        }
        let common = OpenRequestMemory.common(fingerprint.bytes)
        return try await holding(common, of: session) { () async throws(Problem) in
          .success(try await body(idempotency))
        }
      } catch {
        return .failure(error)
      }
    }
    if let key { session.starts[OpaqueID(key)] = StartUnderWay(body: fingerprint.hash, work: work) }
    guard wish.open else { return try await Self.result(of: work) }
    // The page of a request that was begun opens, also when its app has left: a repeat opens none.
    return try await Self.result(
      of: SharedWork { [self] in
        do throws(Problem) {
          return .success(try await Self.result(of: work).opening(wish.token, with: self))
        } catch {
          return .failure(error)
        }
      })
  }

  /// Keeps so many of the common bytes for `body`.
  ///
  /// - Throws: `.tooMany(.openRequests)` where there is no room for them.
  func holding<R>(
    _ common: Int, of session: Session, _ body: () async throws(Problem) -> R
  ) async throws(Problem) -> R {
    guard openRequestMemory.fits(common, of: session, besides: live) else {
      throw .tooMany(.openRequests, retryAfter: 5)
    }
    openRequestMemory.begin(common, of: session)
    defer { openRequestMemory.end(common, of: session) }
    return try await body()
  }

  /// - Throws: `.stopping` where the client has left.
  private static func result(
    of work: SharedWork<Result<StartResult, Problem>>
  ) async throws(Problem) -> StartResult {
    guard let result = await work.result() else { throw .stopping }
    return try result.get()
  }

  /// What the first call with this key came to, in this run or an earlier one; `nil` where this
  /// is the first.
  private func recorded(
    _ idempotency: Idempotency, in session: Session
  ) async throws(Problem) -> StartResult? {
    let id = session.id
    let row = try await read(for: .session(id)) { ledger throws(LedgerError) in
      try await ledger.request(idempotencyKey: idempotency.key, of: id)
    }
    guard let row else { return nil }
    guard row.idempotency == idempotency else { throw .idempotencyKeyReused }
    return wasCutOff(row) ? nil : try await there(row, in: session)
  }
}

extension StartResult {
  /// Opens the page of a new request, where that was asked for. Row first, browser second.
  @LoopActor fileprivate func opening(
    _ activationToken: ActivationToken?, with broker: Broker
  ) async -> StartResult {
    guard !repeated, let url = view.url else { return self }
    var result = self
    do {
      result.page = .opening(try await broker.tools.openPage(url, activationToken))
    } catch {
      broker.noteUnopened(view.requestId, error)
      result.page = .unavailable(error.reason)
    }
    return result
  }
}
