import Sealed

extension ConsentError {
  /// What a failure of the sealed channel is to an app.
  init(_ error: SealedError) {
    switch error {
    case .unreachable(let carrier):
      self.init(.nodeUnreachable, advice: carrier.reason.advice, cause: error)
    case .flawed(.cutShort):
      self.init(
        .nodeUnreachable,
        advice: "The node's answer was cut short, so none of it counts. Try again.",
        cause: error)
    case .untrusted(let distrust):
      self.init(.nodeUntrusted, advice: distrust.advice, cause: error)
    case .refused(let refusal):
      self = .nodeError(
        "The node refused the sealed request (\(refusal.code)).", status: refusal.status,
        cause: error)
      retryAfter = Self.bounded(refusal.retryAfter)
    case .foreignReply(let status):
      self = .foreign(status: status, cause: error)
    case .flawed(.notSealed):
      self = .nodeError(
        "Something between here and the node answered in its place: a sign-in page of the network, "
          + "perhaps.", status: 200, cause: error)
    case .flawed(.bodyTooLong), .flawed(.streamTooLong):
      self = .nodeError(
        "The node's answer is longer than 1 MiB.", cause: error)
    case .flawed:
      self = .nodeError("The node's sealed answer cannot be opened.", cause: error)
    case .routeUnguarded:
      self = .nodeError(
        "This node's proxy guards the consent API itself, so that a sealed request cannot reach it "
          + "(sealed_route_unguarded).", status: 403, cause: error)
    case .invalidRequest(.tooMany):
      self.init(
        .nodeUnreachable, advice: "Too many requests to the node are under way. Try again later.",
        cause: error)
    case .invalidRequest(.tooLarge):
      self = .requestInvalid(nil, "is too large to be sent")
    case .invalidRequest:
      self = .requestInvalid(nil, "has signs that cannot be sent")
    case .cancelled, .closed:
      self.init(.cancelled, cause: error)
    }
  }

  private static func foreign(status: Int, cause: SealedError) -> ConsentError {
    switch status {
    case 300..<400:
      .nodeError(
        "The node's address answered with a redirect (status \(status)), which is not followed.",
        status: status, cause: cause)
    case 200:
      .nodeError("The node's address answered, but not as a node does.", status: 200, cause: cause)
    default:
      .nodeError(
        "The node's address answered with the status \(status), which is not the node's own.",
        status: status, cause: cause)
    }
  }
}

extension CarrierError.Reason {
  fileprivate var advice: String {
    switch self {
    case .nameNotFound:
      "The node's name cannot be found. Check the connection and the node's address."
    case .notConnected:
      "There is no connection to the node. Check the connection and the node's address, then try "
        + "again."
    case .exhausted:
      "No connection to the node can be opened: this machine, or the program, has no file "
        + "descriptors left. Close what uses them, then try again."
    case .tls:
      "There is no safe connection to the node: its certificate or this machine's list of "
        + "authorities is wrong. Check the node's address and this machine's clock."
    case .cut: "The connection to the node broke off. Try again."
    case .timedOut: "The node did not answer in time. Try again later."
    case .notHTTP: "What answers at the node's address is no node. Check the address."
    case .replyTooLong: "The node's answer is too long. Tell whoever runs the node."
    case .cancelled, .closed: ConsentError.Code.cancelled.advice
    }
  }
}

extension Distrust {
  fileprivate var advice: String {
    let next = "Nothing was sent to it. Check the node's address and what it is trusted by."
    return switch self {
    case .nothingConfigured: ConsentError.Code.nodeUntrusted.advice
    case .noTransportKey:
      "The node reports no transport key: it is too old for sealed requests. \(next)"
    case .malformedAttestation: "The node's attestation cannot be read. \(next)"
    case .attestation(let refusal):
      "The node could not prove what it runs (\(refusal.code)). \(refusal.detail) \(next)"
    case .pinnedKeyStale:
      "The node does not have the transport key that is configured. \(next)"
    case .handshakeNotAuthentic: "What answered does not have the node's transport key. \(next)"
    case .lowOrderPoint: "The node's key is one that protects nothing. \(next)"
    }
  }
}
