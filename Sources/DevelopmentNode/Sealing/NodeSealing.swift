package import Crypto
package import EventLoop

/// The node's side of the sealed transport, version 2: its key, its sessions, and the opening and
/// sealing of exchanges. Pure: bytes in, bytes out, and it is told the time.
///
/// What it refuses it refuses with a code of the protocol. It never misbehaves: whoever wants a
/// wrong answer seals other frames, or turns a bit in the right ones.
package struct NodeSealing: ~Copyable {
  /// Of sessions made from now on.
  package var sessionLifetime: Duration = .seconds(3600)

  /// - Parameter key: the transport key; another one is another node to every client.
  package init(key: consuming X25519.PrivateKey = X25519.PrivateKey()) {}

  /// The public half of the transport key: 32 bytes.
  package var transportKey: [UInt8] { [] }

  /// Answers the body of `POST /sealed/v2/handshake`.
  package mutating func handshake(
    _ body: [UInt8], at now: BootInstant
  ) throws(SealingRefusal) -> [UInt8] { throw .malformed }

  /// Opens the body of `POST /sealed/v2`. Its request id is used up by it.
  package mutating func open(
    _ body: [UInt8], at now: BootInstant
  ) throws(SealingRefusal) -> OpenedExchange { throw .malformed }

  /// Every session is unknown from now on.
  package mutating func forgetSessions() {}

  /// That one session is unknown from now on.
  package mutating func forgetSession(of exchange: borrowing OpenedExchange) {}
}

/// One request that was opened, and what seals its answer frame by frame.
package struct OpenedExchange: ~Copyable {
  package let request: APIRequest

  /// The next frame, with its length before it. Whatever `kind` and `data` are: also a second
  /// head, a kind that does not exist, or more data than a frame may hold.
  package mutating func frame(kind: UInt8, _ data: [UInt8]) -> [UInt8] { [] }
}

/// Why the transport did not open something. Raw values are the protocol's codes.
package enum SealingRefusal: String, Error, Sendable, CaseIterable {
  case staleTransportKey = "stale_transport_key"
  case unknownSession = "unknown_session"
  case malformed
  case unsupportedVersion = "unsupported_version"
  case undecryptable
  case replayedRequest = "replayed_request"
  case tooLarge = "too_large"
}
