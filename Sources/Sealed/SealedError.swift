/// Why a sealed request has no answer. No case holds a secret, a path or a URL.
package enum SealedError: Error, Equatable, Sendable {
  /// No answer, or one that was cut short.
  case unreachable(CarrierError)
  /// The node is not proven to be the one that may read the request. Nothing of it was sent.
  case untrusted(Distrust)
  /// The node refused, outside of the envelope. What may be repeated has been repeated.
  case refused(NodeRefusal)
  /// An answer that is no node's: a proxy's page, a captive portal. Only its status is kept.
  case foreignReply(status: Int)
  /// A 200 that breaks the protocol.
  case flawed(SealedFlaw)
  /// `sealed_route_unguarded`, 403 inside of the envelope: this node's proxy guards the route
  /// itself, so that a sealed request cannot reach it.
  case routeUnguarded
  /// The caller's request cannot be sent.
  case invalidRequest(InvalidRequest)
  case cancelled
  /// The channel was closed.
  case closed
}

/// Why a node is not trusted.
package enum Distrust: Equatable, Sendable {
  /// The configuration names nothing to trust this node by.
  case nothingConfigured
  /// The node reports no transport key: it predates sealing.
  case noTransportKey
  /// The answer to the attestation call has no quote or key that could be read.
  case malformedAttestation
  /// The verifier refused the quote.
  case attestation(AttestationRefusal)
  /// The node does not have the pinned key (any more).
  case pinnedKeyStale
  /// Who answered the handshake does not have the transport key.
  case handshakeNotAuthentic
  /// The transport key, or the key of the handshake, is a low-order point.
  case lowOrderPoint
}

/// What is wrong with a caller's request.
package enum InvalidRequest: Equatable, Sendable, CaseIterable {
  case method
  case path
  case field
  case tooLarge
  /// `SealedLimits.requestsUnderWay` is reached.
  case tooMany
}

extension SealedError {
  /// The few kinds that a person is told about.
  package enum Meaning: Equatable, Sendable {
    /// Try again later.
    case unreachable
    /// Look at the configuration, or at who is in between.
    case untrusted
    /// The node, or somebody in front of it, answered with this status.
    case node(status: Int)
    /// A mistake of this program.
    case ours
    /// Nobody waits for the answer any more.
    case abandoned
  }

  package var meaning: Meaning {
    switch self {
    case .unreachable: .unreachable
    // A cut answer is a connection that failed, even though HTTP saw nothing wrong.
    case .flawed(.cutShort): .unreachable
    case .untrusted: .untrusted
    case .refused(let refusal): .node(status: refusal.status)
    case .foreignReply(let status): .node(status: status)
    case .flawed: .node(status: 200)
    case .routeUnguarded: .node(status: 403)
    case .invalidRequest: .ours
    case .cancelled, .closed: .abandoned
    }
  }

  /// What a transfer that came to no answer is to a caller.
  init(_ error: CarrierError) {
    switch error.reason {
    case .cancelled: self = .cancelled
    case .closed: self = .closed
    case .nameNotFound, .notConnected, .exhausted, .tls, .cut, .timedOut, .notHTTP, .replyTooLong:
      self = .unreachable(error)
    }
  }
}
