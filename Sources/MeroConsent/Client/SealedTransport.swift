import EventLoop
import FoundationEssentials
import Sealed

/// Carries calls over the sealed channel, and says in the guide's codes what went wrong.
///
/// What the node is trusted by may change while calls are under way: new ones then go over another
/// line, and the former line is closed when its last call has ended.
@LoopActor final class SealedTransport: NodeTransport {
  typealias LineMaker = @Sendable (NodeTrust) throws(ConsentError) -> TransportLine

  private let makeLine: LineMaker
  /// `nil` where the node is trusted no more.
  private var line: TransportLine?
  /// Those with calls under way.
  private var former: [TransportLine] = []
  private var isClosed = false

  nonisolated init(
    _ trust: NodeTrust, makeLine: @escaping LineMaker
  ) throws(ConsentError) {
    self.makeLine = makeLine
    line = try makeLine(trust)
  }

  @LoopActor var lastAttestation: NodeAttestation? { line?.record.last }

  @LoopActor func send(_ call: NodeCall) async throws(ConsentError) -> NodeReply {
    while true {
      guard let line else { throw .trustedNoMore }
      guard !isClosed else { throw ConsentError(.cancelled) }
      line.calls += 1
      let result: Result<SealedResponse, SealedError>
      do throws(SealedError) {
        result = .success(try await line.channel.send(SealedRequest(call)))
      } catch {
        result = .failure(error)
      }
      line.calls -= 1
      if line !== self.line, line.calls == 0 { await close(line) }
      switch result {
      // New tokens are taken in any case: the old ones are spent.
      case .success(let response) where !line.isDistrusted || call.isRefresh:
        return NodeReply(response)
      case .failure(let error) where !line.isDistrusted || error != .closed:
        throw ConsentError(error)
      case .success, .failure:
        guard call.changesNothing || line.sentNothing else { throw .trustChanged }
      }
    }
  }

  @LoopActor func change(to trust: NodeTrust?) async -> TrustChange {
    guard !isClosed, trust != line?.given else { return .none }
    let next = trust.flatMap { try? makeLine($0) }
    if let line { former.append(line) }
    line = next
    for line in former where !line.isDistrusted {
      line.isDistrusted = line.proof.map { next?.trust.accepts($0) != true } ?? true
      // Without a proof nothing of a call was sent.
      line.sentNothing = line.proof == nil
    }
    for line in former where line.calls == 0 || line.sentNothing { await close(line) }
    return former.contains(where: \.isDistrusted) ? .endsCalls : .keepsCalls
  }

  @LoopActor func endDistrusted() async {
    for line in former where line.isDistrusted { await close(line) }
  }

  @LoopActor func close() async {
    isClosed = true
    let lines = former + [line].compactMap(\.self)
    for line in lines { await close(line) }
  }

  private func close(_ line: TransportLine) async {
    former.removeAll { $0 === line }
    await line.channel.close()
  }
}

/// A sealed channel, and what the node of its calls is trusted by.
@LoopActor final class TransportLine {
  let channel: SealedChannel
  let record: AttestationRecord
  let given: NodeTrust
  let trust: KeyTrust
  /// That are under way.
  var calls = 0
  /// What the node proved is not good enough any more.
  var isDistrusted = false
  /// No call was sent before it was distrusted.
  var sentNothing = false

  nonisolated init(
    _ channel: SealedChannel, _ given: NodeTrust, _ trust: KeyTrust, _ record: AttestationRecord
  ) {
    self.channel = channel
    self.given = given
    self.trust = trust
    self.record = record
  }

  /// What the node of its calls has proved; `nil` before that.
  var proof: AttestationRecord.Proof? {
    if case .pinned(let key) = trust { return AttestationRecord.Proof(key: key, kind: .none) }
    return record.proof
  }
}

extension SealedRequest {
  fileprivate init(_ call: NodeCall) {
    self.init(
      method: call.method, path: call.path,
      fields: call.body.isEmpty ? [] : [SealedField("content-type", "application/json")],
      bearer: call.bearer, body: call.body, responseLimit: NodeCall.longestReply)
  }
}

extension NodeReply {
  fileprivate init(_ response: SealedResponse) {
    // The sealed date where there is one; the one around it is good enough to correct a clock.
    let date = response.first("date") ?? response.date
    self.init(
      status: response.status, authError: response.first("x-auth-error"), body: response.body,
      date: date.flatMap(HTTPDate.date),
      retryAfter: response.first("retry-after").flatMap(NodeRefusal.seconds))
  }
}

extension ConsentError {
  fileprivate static let trustedNoMore = ConsentError(
    .nodeUntrusted,
    advice: "What the node was trusted by is not configured any more. Nothing was sent to it.")

  fileprivate static let trustChanged = ConsentError(
    .nodeUntrusted,
    advice: "What the node is trusted by was changed while it was asked, and what it had proved is "
      + "not enough any more. Its answer does not count, and whether it did what was asked is not "
      + "known. Look at what it is trusted by, then ask again.")
}
