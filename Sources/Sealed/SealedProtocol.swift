/// The constants of the sealed transport, version 2. Peers depend on each byte.
package enum SealedProtocol {
  package static let version: UInt8 = 0x02
  package static let contentType = "application/vnd.calimero.sealed"

  package static let attestPath = "/admin-api/tee/attest"
  package static let handshakePath = "/sealed/v2/handshake"
  package static let exchangePath = "/sealed/v2"

  /// Mixed into the handshake, so that a handshake of another protocol cannot be passed off as
  /// one of this.
  static let prologue = Array("calimero/sealed-http/v2".utf8)

  package static let sessionIDSize = 16
  /// Version, session id, request id.
  package static let requestHeaderSize = 1 + sessionIDSize + 8

  /// Version, transport key, first message.
  static let handshakeRequestSize = 1 + 32 + 48
  /// Version, second message.
  static let handshakeReplySize = 1 + 68

  /// Whether a content type is the sealed one. Parameters behind a semicolon do not count.
  package static func isSealed(contentType: String?) -> Bool {
    guard let contentType else { return false }
    let essence = contentType.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
    return essence.lowercased() == Self.contentType
  }
}

/// What a peer may make us keep, and how long. Sizes in bytes.
package enum SealedLimits {
  /// An answer to a handshake: the real one has 69 bytes, a refusal a few hundred.
  package static let handshakeReply = 1024
  /// A quote with its collateral: 30 KiB are usual.
  package static let attestReply = 1 << 20
  /// A refusal, which is JSON outside of the envelope.
  static let refusal = 16 * 1024

  /// The plaintext of one frame behind its kind.
  package static let frameData = 65_536
  /// A frame on the wire behind its length: kind, data, tag.
  package static let frame = 1 + frameData + 16

  /// The body of an answer, unless the caller sets another limit: the consent API's.
  package static let responseBody = 1 << 20
  /// The plaintext of a request: head and body.
  package static let request = 4 << 20

  /// Requests under way in one channel, waiting ones included. An app has a handful.
  package static let requestsUnderWay = 256

  /// The frames of an answer whose body may have `body` bytes. A node may cut its body into small
  /// frames, each with 21 bytes around it; four times the limit leaves room for frames of seven
  /// bytes, and an endless row of empty frames ends here.
  static func stream(body: Int) -> Int {
    let (scaled, overflow) = body.multipliedReportingOverflow(by: 4)
    return (overflow ? Int.max / 2 : scaled) + 2 * (frame + 4)
  }

  /// The longest life of a session, whatever a node says.
  static let sessionLifetime = Duration.seconds(3600)
  /// How long before its end a session is renewed.
  static let renewalMargin = Duration.seconds(60)
  /// A node drops a session that is not used for this long.
  package static let sessionIdle = Duration.seconds(600)
  /// The longest wait that a busy node can impose.
  static let busyWait = Duration.seconds(5)
  /// The wait when a busy node names none.
  static let busyWaitUnnamed = Duration.seconds(1)
}
