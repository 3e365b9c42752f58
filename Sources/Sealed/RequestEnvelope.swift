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
    package init(of body: [UInt8]) throws(NodeRefusal.Code) {
      guard let version = body.first else { throw .malformed }
      guard version == SealedProtocol.version else { throw .unsupportedVersion }
      guard body.count >= SealedProtocol.requestHeaderSize + AES256GCM.tagSize else {
        throw .malformed
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
    let inner = UInt32(json.count).bigEndianBytes + json + body
    let bytes = header.bytes
    return bytes + sealer.seal(inner, nonce: header.requestNonce, aad: bytes)
  }

  /// The longest body of a POST that a node takes.
  package static let longest =
    SealedProtocol.requestHeaderSize + SealedLimits.request + AES256GCM.tagSize

  /// The node's side: what is inside `body`, whose header was read already.
  ///
  /// - Throws: `undecryptable` when it was not sealed with this key.
  package static func openInner(
    _ body: [UInt8], header: Header, with opener: inout AES256GCM.Opener
  ) throws(NodeRefusal.Code) -> [UInt8] {
    do {
      return try opener.open(
        body.dropFirst(SealedProtocol.requestHeaderSize), nonce: header.requestNonce,
        aad: header.bytes)
    } catch {
      throw .undecryptable
    }
  }

  /// The request that `inner` is: u32 head length || head JSON || body.
  ///
  /// - Throws: `malformed`
  package static func parse(
    _ inner: [UInt8]
  ) throws(NodeRefusal.Code) -> (head: SealedRequestHead, body: [UInt8]) {
    guard inner.count >= 4 else { throw .malformed }
    let length = Int(UInt32(bigEndian: inner))
    guard length <= inner.count - 4 else { throw .malformed }
    guard let head = SealedRequestHead(json: inner[4..<4 + length]) else { throw .malformed }
    return (head, Array(inner[(4 + length)...]))
  }
}
