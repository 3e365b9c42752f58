package import Crypto

/// A sealed request: header || AES-256-GCM(request key, nonce, aad = header, inner).
package enum RequestEnvelope {
  /// Version, session id, request id: the associated data of the request and of each frame of
  /// its answer.
  package struct Header: Hashable, Sendable {
    package let sessionID: [UInt8]
    /// From 1, each used once in its session.
    package let requestID: UInt64

    package init(sessionID: [UInt8], requestID: UInt64) {
      precondition(sessionID.count == SealedProtocol.sessionIDSize)
      self.sessionID = sessionID
      self.requestID = requestID
    }

    /// Reads the front of a request's body.
    ///
    /// - Throws: the refusal that a node answers with.
    package init(of body: [UInt8]) throws(NodeRefusal) {
      guard let version = body.first else { throw NodeRefusal(.malformed) }
      guard version == SealedProtocol.version else { throw NodeRefusal(.unsupportedVersion) }
      guard body.count >= SealedProtocol.requestHeaderSize + AES256GCM.tagSize else {
        throw NodeRefusal(.malformed)
      }
      sessionID = Array(body[1..<17])
      requestID = UInt64(bigEndian: body[17...])
    }

    /// 25 bytes.
    package var bytes: [UInt8] {
      [SealedProtocol.version] + sessionID + requestID.bigEndianBytes
    }

    var requestNonce: [UInt8] { requestID.bigEndianBytes + [0, 0, 0, 0] }

    func responseNonce(frame: UInt32) -> [UInt8] {
      requestID.bigEndianBytes + frame.bigEndianBytes
    }
  }

  /// The body of the POST.
  package static func seal(
    _ head: SealedRequestHead, body: [UInt8], header: Header, with sealer: inout AES256GCM.Sealer
  ) -> [UInt8] {
    let json = head.json()
    var inner = UInt32(json.count).bigEndianBytes + json + body
    // The head holds the bearer token: the copy that was made here goes with it.
    defer { Secret.wipe(&inner) }
    let bytes = header.bytes
    return bytes + sealer.seal(inner, nonce: header.requestNonce, aad: bytes)
  }

  /// The node's side: the request inside `body`, whose header was read already.
  ///
  /// - Throws: `undecryptable` when it was not sealed with this key, `malformed` when what was
  ///   sealed is no request.
  package static func open(
    _ body: [UInt8], header: Header, with opener: inout AES256GCM.Opener
  ) throws(NodeRefusal) -> (head: SealedRequestHead, body: [UInt8]) {
    let inner: [UInt8]
    do {
      inner = try opener.open(
        body.dropFirst(SealedProtocol.requestHeaderSize), nonce: header.requestNonce,
        aad: header.bytes)
    } catch {
      throw NodeRefusal(.undecryptable)
    }
    guard inner.count >= 4 else { throw NodeRefusal(.malformed) }
    let length = Int(UInt32(bigEndian: inner))
    guard length <= inner.count - 4 else { throw NodeRefusal(.malformed) }
    guard let head = SealedRequestHead(json: inner[4..<4 + length]) else {
      throw NodeRefusal(.malformed)
    }
    return (head, Array(inner[(4 + length)...]))
  }
}
