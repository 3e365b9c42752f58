import Crypto
package import EventLoop
package import FoundationEssentials
package import Sealed
package import TDXQuote

/// Looks at a node as a client would before its first request, and goes no further: no token, no
/// request, nothing inside of the sealed session.
@LoopActor package final class NodeProbe {
  package enum Trust: Sendable {
    /// As a client is told.
    case by(NodeTrust)
    /// A quote that verifies and answers us, whatever the image: to see what a node runs.
    case anyImage
  }

  /// What was found, as far as it got.
  package struct Report: Sendable {
    /// Something answered at the address.
    package internal(set) var isReachable = false
    /// The clock of what answered, and this machine's at that moment.
    package internal(set) var clocks: (node: Date, here: Date)?
    /// What was proved; `nil` where the key is pinned, and where nothing was.
    package internal(set) var attestation: NodeAttestation?
    /// The quote by itself, whoever is trusted; `nil` where there is none, and of a mock.
    package internal(set) var quote: QuoteAudit?
    /// 64 hex digits: the key that the node proved, or that it was known by.
    package internal(set) var transportKey: String?
    /// The sealed handshake came to its end: it holds that key.
    package internal(set) var isSealed = false
    /// What stopped it.
    package internal(set) var failure: ConsentError?
  }

  private var report = Report()
  private let now: @Sendable () -> Date

  private init(now: @escaping @Sendable () -> Date) { self.now = now }

  /// - Parameters:
  ///   - carrier: tests bring their own.
  ///   - verifier: tests bring one that trusts a root of their own.
  /// - Throws: `CONSENT_REQUEST_INVALID`, `NODE_UNTRUSTED` for a trust that cannot be, before
  ///   anything is sent.
  package static func look(
    at node: NodeAddress, _ trust: Trust, carrier: (any Carrier)? = nil,
    verifier: QuoteVerifier = QuoteVerifier(), now: @escaping @Sendable () -> Date = { Date() }
  ) async throws(ConsentError) -> Report {
    let probe = NodeProbe(now: now)
    let record = AttestationRecord()
    let judge: KeyTrust
    switch trust {
    case .anyImage:
      judge = .attested(AnyImageVerifier(verifier: verifier, now: now))
    case .by(let trust):
      judge = try KeyTrust(trust, of: node, verifier: verifier, now: now, record: record)
    }
    if case .by(.transportKey(let key)) = trust { probe.report.transportKey = key.lowercased() }
    let channel = SealedChannel(
      on: LoopActor.shared,
      carrier: WatchedCarrier(carrier ?? CurlCarrier(node: node, limits: CarrierLimits()), probe),
      trust: probe.watched(judge, verifier),
      clock: SealedClock(
        now: ClientClock.system.uptime, sleep: ClientClock.system.sleep))
    do throws(SealedError) {
      try await channel.openSession()
      probe.report.isSealed = true
    } catch {
      probe.report.failure = ConsentError(error)
    }
    await channel.close()
    probe.report.attestation = record.last
    return probe.report
  }

  private func watched(_ trust: KeyTrust, _ verifier: QuoteVerifier) -> KeyTrust {
    guard case .attested(let judge) = trust else { return trust }
    return .attested(WatchedVerifier(judge, verifier, self))
  }

  fileprivate func answered(_ head: CarrierReplyHead) {
    report.isReachable = true
    guard let node = head.date.flatMap(HTTPDate.date) else { return }
    report.clocks = (node, now())
  }

  fileprivate func saw(_ evidence: AttestationEvidence, _ verifier: QuoteVerifier) {
    guard !MockQuote.isMock(evidence.quote) else { return }
    report.quote = QuoteAudit(
      quote: evidence.quote, collateral: AttestReply.collateral(in: evidence.reply) ?? [],
      at: now(), verifier: verifier)
  }

  fileprivate func proved(_ evidence: AttestationEvidence) {
    report.transportKey = Hex.encode(evidence.transportKey.bytes)
  }
}

/// Tells the probe what answers.
@LoopActor private final class WatchedCarrier: Carrier {
  private let carrier: any Carrier
  private let probe: NodeProbe

  init(_ carrier: any Carrier, _ probe: NodeProbe) {
    self.carrier = carrier
    self.probe = probe
  }

  @LoopActor func post(
    _ request: CarrierRequest
  ) async throws(CarrierError) -> any CarrierReply {
    let reply = try await carrier.post(request)
    probe.answered(reply.head)
    return reply
  }

  @LoopActor func close() async { await carrier.close() }
}

/// Tells the probe what is proved.
@LoopActor private final class WatchedVerifier: AttestationVerifier {
  private let judge: any AttestationVerifier
  private let verifier: QuoteVerifier
  private let probe: NodeProbe

  init(_ judge: any AttestationVerifier, _ verifier: QuoteVerifier, _ probe: NodeProbe) {
    self.judge = judge
    self.verifier = verifier
    self.probe = probe
  }

  @LoopActor func verify(_ evidence: AttestationEvidence) async throws(AttestationRefusal) {
    probe.saw(evidence, verifier)
    try await judge.verify(evidence)
    probe.proved(evidence)
  }
}

/// Takes a genuine quote of any image on any platform that Intel has not revoked, as long as it
/// answers our nonce and binds the key. For looking, never for trusting.
@LoopActor private final class AnyImageVerifier: AttestationVerifier {
  private let verifier: QuoteVerifier
  private let now: @Sendable () -> Date

  init(verifier: QuoteVerifier, now: @escaping @Sendable () -> Date) {
    self.verifier = verifier
    self.now = now
  }

  @LoopActor func verify(_ evidence: AttestationEvidence) async throws(AttestationRefusal) {
    let time = now()
    do throws(QuoteFailure) {
      let quote = try verifier.verify(
        quote: evidence.quote, collateral: AttestReply.collateral(in: evidence.reply),
        now: Int64(time.timeIntervalSince1970.rounded(.down)))
      guard quote.reportData == evidence.reportData else { throw .reportDataMismatch }
    } catch {
      throw AttestationRefusal(code: error.rawValue, detail: error.explanation)
    }
  }
}
