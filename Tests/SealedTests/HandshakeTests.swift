import Crypto
import Sealed
import Testing

/// Client and node against each other. (`VectorTests` has them against the published bytes.)
@Suite struct HandshakeTests {
  static let sessionID = (0..<16).map { UInt8($0) }

  private func failure(
    of client: consuming ClientHandshake, reply: [UInt8]
  ) -> HandshakeFailure? {
    do { _ = try client.finish(reply: reply).lifetime } catch { return error }
    return nil
  }

  @Test func givesBothSidesTheSameKeysAndTwoOfThem() throws {
    let node = X25519.PrivateKey()
    let client = try ClientHandshake(key: node.publicKey)
    let accepted = try NodeHandshake(request: client.request, key: node)
      .accept(sessionID: Self.sessionID, lifetime: 1234)
    let grant = try client.finish(reply: accepted.reply)
    let (sessionID, lifetime) = (grant.sessionID, grant.lifetime)
    #expect(sessionID == Self.sessionID)
    #expect(lifetime == 1234)
    let same = (
      ConstantTime.equal(grant.keys.request, accepted.keys.request),
      ConstantTime.equal(grant.keys.response, accepted.keys.response),
      ConstantTime.equal(grant.keys.request, grant.keys.response)
    )
    #expect(same == (true, true, false))
  }

  @Test func isAnotherEachTime() throws {
    let key = X25519.PrivateKey().publicKey
    let (first, second) = (
      try ClientHandshake(key: key).request, try ClientHandshake(key: key).request
    )
    #expect(first.prefix(33) == second.prefix(33))
    #expect(first.dropFirst(33) != second.dropFirst(33))
  }

  /// The transport key alone opens nothing that was recorded: both ephemeral keys are gone.
  @Test func theTransportKeyDoesNotGiveTheKeysOfARecordedSession() throws {
    let node = X25519.PrivateKey()
    let client = try ClientHandshake(key: node.publicKey)
    let request = client.request
    let first = try NodeHandshake(request: request, key: node)
      .accept(sessionID: Self.sessionID, lifetime: 1)
    let replayed = try NodeHandshake(request: request, key: node)
      .accept(sessionID: Self.sessionID, lifetime: 1)
    let same = ConstantTime.equal(first.keys.request, replayed.keys.request)
    #expect(!same)
  }

  // MARK: What the client refuses

  @Test func refusesEachChangedByteOfTheReply() throws {
    let node = X25519.PrivateKey()
    for index in 0..<69 {
      let client = try ClientHandshake(key: node.publicKey)
      let accepted = try NodeHandshake(request: client.request, key: node)
        .accept(sessionID: Self.sessionID, lifetime: 1)
      var reply = accepted.reply
      // The highest bit of a point is no part of it, but of what both sides hash.
      reply[index] ^= 0x80
      let error = failure(of: client, reply: reply)
      #expect(error == (index == 0 ? .flaw(.handshakeVersion) : .crypto(.notAuthentic)))
    }
  }

  @Test func refusesALowOrderPointOfTheNode() throws {
    let node = X25519.PrivateKey()
    let client = try ClientHandshake(key: node.publicKey)
    let reply = [2] + [UInt8](repeating: 0, count: 32) + [UInt8](repeating: 0, count: 36)
    let error = failure(of: client, reply: reply)
    #expect(error == .crypto(.lowOrderPoint))
  }

  @Test func refusesALowOrderTransportKey() throws {
    let one = try X25519.PublicKey([1] + [UInt8](repeating: 0, count: 31))
    #expect(throws: CryptoError.lowOrderPoint) { _ = try ClientHandshake(key: one).request }
  }

  @Test(arguments: [0, 1, 68, 70, 1024]) func refusesAReplyOfAnotherLength(count: Int) throws {
    let client = try ClientHandshake(key: X25519.PrivateKey().publicKey)
    let reply = [UInt8](repeating: 2, count: count)
    let error = failure(of: client, reply: reply)
    #expect(error == .flaw(.handshakeLength))
  }

  @Test func refusesTheAnswerOfAnotherNode() throws {
    let node = X25519.PrivateKey()
    let impostor = X25519.PrivateKey()
    let client = try ClientHandshake(key: node.publicKey)
    let toImpostor = try ClientHandshake(key: impostor.publicKey)
    let accepted = try NodeHandshake(request: toImpostor.request, key: impostor)
      .accept(sessionID: Self.sessionID, lifetime: 1)
    let reply = accepted.reply
    let error = failure(of: client, reply: reply)
    #expect(error == .crypto(.notAuthentic))
  }

  // MARK: What the node refuses

  @Test func refusesALowOrderPointOfTheClient() throws {
    let node = X25519.PrivateKey()
    var request = try ClientHandshake(key: node.publicKey).request
    request.replaceSubrange(33..<65, with: [UInt8](repeating: 0, count: 32))
    #expect(throws: NodeRefusal.Code.malformed) {
      _ = try NodeHandshake(request: request, key: node)
        .accept(sessionID: Self.sessionID, lifetime: 1).reply
    }
  }

  @Test func refusesEachChangedByteOfTheRequest() throws {
    let node = X25519.PrivateKey()
    for index in 0..<81 {
      var request = try ClientHandshake(key: node.publicKey).request
      request[index] ^= 0x80
      let code: NodeRefusal.Code =
        switch index {
        case 0: .unsupportedVersion
        case 1...32: .staleTransportKey
        default: .undecryptable
        }
      #expect(throws: code) {
        _ = try NodeHandshake(request: request, key: node)
          .accept(sessionID: Self.sessionID, lifetime: 1).reply
      }
    }
  }
}
