extension Misbehaviour {
  /// What is known about it. No `default`: a new misbehaviour does not compile without its line.
  package var entry: Entry {
    switch self {
    case .redirect:
      Entry(
        .instead, CallName.client, .text("address", default: "http://127.0.0.1:9/elsewhere"),
        "302 to another place")
    case .htmlPage:
      Entry(.instead, CallName.client, .none, "200 with a page of somebody else's, in HTML")
    case .status:
      Entry(.instead, CallName.client, .number("status", default: 500), "a bare error status")
    case .refusal:
      Entry(
        .instead, CallName.sealed.union([.handshake]), .text("code", default: "malformed"),
        "a refusal of the sealed transport by its code, outside the envelope")
    case .busy:
      Entry(
        .instead, CallName.sealed.union([.handshake]), .number("seconds", default: 1),
        "503 busy with Retry-After")
    case .unknownSession:
      Entry(.instead, CallName.sealed, .none, "409 unknown_session, and the session is forgotten")
    case .staleKey:
      Entry(
        .instead, CallName.sealed.union([.handshake]), .none,
        "409 stale_transport_key, although the key is the node's")
    case .guarded:
      Entry(.instead, CallName.sealed, .none, "403 sealed_route_unguarded inside the envelope")
    case .tokenExpired:
      Entry(
        .instead, [.request, .result], .none, "401 with x-auth-error: token_expired")
    case .tokenRevoked:
      Entry(.instead, [.request, .result], .none, "401 with x-auth-error: token_revoked")
    case .unauthorized:
      Entry(.instead, [.request, .result], .none, "401 that names no reason")
    case .refreshRefused:
      Entry(.instead, [.refresh], .none, "401 to a refresh; the pair is not used up")
    case .wrongQuote:
      Entry(.answer, [.attest], .none, "a quote of random bytes")
    case .wrongBinding:
      Entry(.answer, [.attest], .none, "a quote that binds no key at all")
    case .wrongNonce:
      Entry(.answer, [.attest], .none, "a quote made for somebody else's nonce")
    case .otherKey:
      Entry(.answer, [.attest], .none, "a transport key that is not the one in the quote")
    case .noTransportKey:
      Entry(.answer, [.attest], .none, "no transportPublicKey, as from a node before sealing")
    case .longHandshake:
      Entry(.answer, [.handshake], .number("bytes", default: 1025), "a reply padded to this length")
    case .codeMismatch:
      Entry(.answer, [.request], .none, "a code that is not the page's")
    case .codeMalformed:
      Entry(.answer, [.request], .text("code", default: "7Q"), "a code that is none, on both sides")
    case .pageElsewhere:
      Entry(
        .answer, [.request], .text("origin", default: "https://consent.example"),
        "a page on another origin")
    case .pageUnnamed:
      Entry(.answer, [.request], .none, "a page whose address does not name the request")
    case .noRequestID:
      Entry(.answer, [.request], .none, "an empty requestId")
    case .expiresAt:
      Entry(
        .answer, [.request], .text("JSON", default: #""2020-01-01T00:00:00Z""#),
        "expiresAt is this JSON value: in the past, or no date at all")
    case .replaced:
      Entry(.answer, [.result], .none, "404, as if a newer request had replaced this one")
    case .wrongRequest:
      Entry(.answer, [.result], .none, "the answer names another request")
    case .unknownStatus:
      Entry(.answer, [.result], .text("status", default: "APPROVED"), "a status that is none")
    case .missingOutcome:
      Entry(.answer, [.result], .none, "approved without the outcome that belongs to the kind")
    case .otherOutcome:
      Entry(.answer, [.result], .none, "approved with the outcome of another kind")
    case .outcomeOnDecline:
      Entry(.answer, [.result], .none, "declined, and yet an outcome")
    case .outcomeOnPending:
      Entry(.answer, [.result], .none, "pending, and yet an outcome")
    case .rawAnswer:
      Entry(
        .answer, CallName.client.subtracting([.handshake]), .text("body", default: "{}"),
        "200 with this body in place of the answer")
    case .bigBody:
      Entry(
        .answer, CallName.client.subtracting([.handshake]), .number("bytes", default: 2 << 20),
        "the answer padded with white space to this length")
    case .date:
      Entry(
        .answer, CallName.client, .number("seconds", default: -86_400),
        "the Date header wrong by so much, and nothing else")
    case .contentType:
      Entry(
        .sealing, CallName.sealed.union([.handshake]),
        .text("type", default: "application/octet-stream"), "sealed bytes under another type")
    case .unsealed:
      Entry(.sealing, CallName.sealed, .none, "the right answer, in the clear")
    case .noEndFrame:
      Entry(.sealing, CallName.sealed, .none, "the stream ends without an end frame")
    case .extraFrame:
      Entry(.sealing, CallName.sealed, .none, "a data frame after the end frame")
    case .noHeadFrame:
      Entry(.sealing, CallName.sealed, .none, "the first frame is no head")
    case .secondHead:
      Entry(.sealing, CallName.sealed, .none, "two head frames")
    case .unknownFrame:
      Entry(.sealing, CallName.sealed, .none, "a frame of kind 9")
    case .damagedFrame:
      Entry(.sealing, CallName.sealed, .none, "a frame with one bit turned")
    case .longFrame:
      Entry(.sealing, CallName.sealed, .none, "a frame one byte longer than the limit")
    case .slow:
      Entry(.wire, Self.everyCall, .number("ms", default: 1000), "waits before it answers")
    case .drip:
      Entry(
        .wire, Self.everyCall, .number("ms", default: 20),
        "one byte at a time, with a pause after each")
    case .neverAnswers:
      Entry(
        .wire, Self.everyCall, .none, "runs the call and says nothing until the client hangs up")
    case .cutBeforeHead:
      Entry(.wire, Self.everyCall, .none, "runs the call and closes the connection without a byte")
    case .cutInBody:
      Entry(.wire, Self.everyCall, .none, "closes the connection after half of the body")
    }
  }

  private static let everyCall = Set(CallName.allCases)
}

extension Misbehaviour.Entry {
  fileprivate init(
    _ stage: Misbehaviour.Stage, _ calls: Set<CallName>, _ takes: Misbehaviour.Parameter,
    _ about: String
  ) {
    self.init(stage: stage, calls: calls, takes: takes, about: about)
  }
}
