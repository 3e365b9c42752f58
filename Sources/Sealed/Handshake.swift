package import Crypto

/// The client's side of opening a session.
package struct ClientHandshake: ~Copyable {
  private var noise: NKInitiator
  /// The body of the POST: version, transport key, first message.
  package let request: [UInt8]

  /// - Throws: `CryptoError.lowOrderPoint` when the node's key is one.
  package init(
    key: X25519.PublicKey, ephemeral: consuming X25519.PrivateKey = X25519.PrivateKey()
  ) throws(CryptoError) {
    var noise = NKInitiator(
      responder: key, prologue: SealedProtocol.prologue, ephemeral: ephemeral)
    request = [SealedProtocol.version] + key.bytes + (try noise.firstMessage())
    self.noise = noise
  }

  /// The session that the node's answer grants.
  package consuming func finish(reply: [UInt8]) throws(HandshakeFailure) -> SessionGrant {
    guard let version = reply.first else { throw .flaw(.handshakeLength) }
    guard version == SealedProtocol.version else { throw .flaw(.handshakeVersion) }
    guard reply.count == SealedProtocol.handshakeReplySize else { throw .flaw(.handshakeLength) }
    let result: NoiseResult
    do {
      result = try noise.finish(secondMessage: reply.dropFirst())
    } catch {
      throw .crypto(error)
    }
    let lifetime = UInt32(bigEndian: result.payload.dropFirst(SealedProtocol.sessionIDSize))
    guard lifetime > 0 else { throw .flaw(.sessionLifetime) }
    return SessionGrant(
      sessionID: Array(result.payload.prefix(SealedProtocol.sessionIDSize)), lifetime: lifetime,
      keys: result.keys)
  }
}

/// Why an answer grants no session.
package enum HandshakeFailure: Error, Equatable, Sendable {
  case flaw(SealedFlaw)
  /// Whoever answered does not have the transport key, or sent a low-order point.
  case crypto(CryptoError)
}

/// A session as both sides agreed on it.
package struct SessionGrant: ~Copyable, Sendable {
  /// 16 bytes.
  package let sessionID: [UInt8]
  /// In seconds, from the node's answer.
  package let lifetime: UInt32
  package let keys: SessionKeys

  /// Gives up the grant for its keys.
  package consuming func takeKeys() -> SessionKeys { keys }
}

/// The node's side of opening a session.
package struct NodeHandshake: ~Copyable {
  private let noise: NKResponder

  /// Reads the body of a handshake POST.
  ///
  /// - Parameter key: the node's transport key.
  /// - Throws: the refusal that the node answers with.
  package init(
    request: [UInt8], key: borrowing X25519.PrivateKey
  ) throws(NodeRefusal.Code) {
    guard let version = request.first else { throw .malformed }
    guard version == SealedProtocol.version else { throw .unsupportedVersion }
    guard request.count == SealedProtocol.handshakeRequestSize else {
      throw .malformed
    }
    guard request[1...].prefix(X25519.size).elementsEqual(key.publicKey.bytes) else {
      throw .staleTransportKey
    }
    do {
      noise = try NKResponder(
        firstMessage: request.dropFirst(1 + X25519.size), prologue: SealedProtocol.prologue,
        key: key)
    } catch {
      throw error == .lowOrderPoint ? .malformed : .undecryptable
    }
  }

  /// Grants a session.
  ///
  /// - Parameters:
  ///   - sessionID: 16 bytes that no other session has.
  ///   - lifetime: in seconds.
  /// - Throws: the refusal that the node answers with.
  package consuming func accept(
    sessionID: [UInt8], lifetime: UInt32,
    ephemeral: consuming X25519.PrivateKey = X25519.PrivateKey()
  ) throws(NodeRefusal.Code) -> AcceptedHandshake {
    precondition(sessionID.count == SealedProtocol.sessionIDSize)
    let reply: NoiseReply
    do {
      reply = try noise.finish(
        payload: sessionID + lifetime.bigEndianBytes, ephemeral: ephemeral)
    } catch {
      throw .malformed
    }
    return AcceptedHandshake(reply: [SealedProtocol.version] + reply.message, keys: reply.keys)
  }
}

/// What the node sends, and the keys that it keeps.
package struct AcceptedHandshake: ~Copyable, Sendable {
  /// The body of the 200: version, second message.
  package let reply: [UInt8]
  package let keys: SessionKeys

  /// Gives up the handshake for its keys.
  package consuming func takeKeys() -> SessionKeys { keys }
}
