import Crypto
import Sealed
import Testing

/// Byte for byte the published vectors, in both roles.
@Suite struct VectorTests {
  let vectors: V2Vectors

  init() throws { vectors = try V2Vectors.load() }

  private func grant() throws -> SessionGrant {
    let handshake = try ClientHandshake(
      key: X25519.PublicKey(octets(vectors.transportPublic)),
      ephemeral: X25519.PrivateKey(raw: secret(vectors.clientEphemeralSecret)))
    return try handshake.finish(reply: octets(vectors.handshakeResponse))
  }

  @Test func sendsTheHandshakeOfTheVectors() throws {
    let handshake = try ClientHandshake(
      key: X25519.PublicKey(octets(vectors.transportPublic)),
      ephemeral: X25519.PrivateKey(raw: secret(vectors.clientEphemeralSecret)))
    let request = handshake.request
    #expect(Hex.encode(request) == vectors.handshakeRequest)
  }

  @Test func readsTheGrantOfTheVectors() throws {
    let grant = try grant()
    let (sessionID, lifetime) = (grant.sessionID, grant.lifetime)
    #expect(Hex.encode(sessionID) == vectors.sessionId)
    #expect(lifetime == vectors.lifetimeSeconds)
  }

  @Test func sealsTheRequestOfTheVectors() throws {
    var sealer = AES256GCM.Sealer(key: try grant().keys.request)
    let header = RequestEnvelope.Header(
      sessionID: try octets(vectors.sessionId), requestID: vectors.requestId)
    let sealed = RequestEnvelope.seal(
      SealedRequestHead(
        method: "POST", path: "/jsonrpc",
        fields: [SealedField("content-type", "application/json")]),
      body: Array(vectors.requestBody.utf8), header: header, with: &sealer)
    #expect(Hex.encode(sealed) == vectors.sealedRequest)
  }

  @Test func opensTheResponseOfTheVectors() throws {
    var opener = AES256GCM.Opener(key: try grant().keys.response)
    let header = RequestEnvelope.Header(
      sessionID: try octets(vectors.sessionId), requestID: vectors.requestId)
    var reader = FrameReader(header: header, bodyLimit: 100)
    try reader.receive(octets(vectors.sealedResponse), with: &opener)
    let (head, body) = try reader.finish()
    #expect(head.status == vectors.responseStatus)
    #expect(head.fields.map { [$0.name, $0.value] } == vectors.responseHeaders)
    #expect(String(decoding: body, as: UTF8.self) == vectors.responseBody)
  }

  @Test func opensTheResponseByteByByte() throws {
    var opener = AES256GCM.Opener(key: try grant().keys.response)
    let header = RequestEnvelope.Header(
      sessionID: try octets(vectors.sessionId), requestID: vectors.requestId)
    var reader = FrameReader(header: header, bodyLimit: 100)
    for byte in try octets(vectors.sealedResponse) { try reader.receive([byte], with: &opener) }
    let (_, body) = try reader.finish()
    #expect(String(decoding: body, as: UTF8.self) == vectors.responseBody)
  }

  /// The vectors do not tell the node's ephemeral key, so the node's side is checked by what it
  /// reads of the client's, and against the client's side in `HandshakeTests`.
  @Test func readsTheHandshakeOfTheVectorsAsANode() throws {
    let key = try X25519.PrivateKey(raw: secret(vectors.transportSecret))
    let publicKey = Hex.encode(key.publicKey.bytes)
    #expect(publicKey == vectors.transportPublic)
    let handshake = try NodeHandshake(request: octets(vectors.handshakeRequest), key: key)
    let accepted = try handshake.accept(sessionID: octets(vectors.sessionId), lifetime: 3600)
    let size = accepted.reply.count
    #expect(size == 69)
  }

  @Test func opensTheRequestOfTheVectorsAsANode() throws {
    var opener = AES256GCM.Opener(key: try grant().keys.request)
    let sealed = try octets(vectors.sealedRequest)
    let header = try RequestEnvelope.Header(of: sealed)
    #expect(Hex.encode(header.sessionID) == vectors.sessionId)
    #expect(header.requestID == vectors.requestId)
    let (head, body) = try RequestEnvelope.parse(
      RequestEnvelope.openInner(sealed, header: header, with: &opener))
    #expect(head.method == "POST")
    #expect(head.path == "/jsonrpc")
    #expect(head.fields == [SealedField("content-type", "application/json")])
    #expect(String(decoding: body, as: UTF8.self) == vectors.requestBody)
  }

  @Test func sealsTheResponseOfTheVectorsAsANode() throws {
    var sealer = AES256GCM.Sealer(key: try grant().keys.response)
    var writer = FrameWriter(
      header: RequestEnvelope.Header(
        sessionID: try octets(vectors.sessionId), requestID: vectors.requestId))
    let head = SealedResponseHead(
      status: vectors.responseStatus,
      fields: vectors.responseHeaders.map { SealedField($0[0], $0[1]) })
    let stream =
      writer.head(head, with: &sealer)
      + writer.body(Array(vectors.responseBody.utf8), with: &sealer) + writer.end(with: &sealer)
    #expect(Hex.encode(stream) == vectors.sealedResponse)
  }

  @Test func bindsTheKeyOfTheVectors() throws {
    let binding = vectors.transportBinding
    let key = try X25519.PublicKey(octets(binding.transportKey))
    let commitment = TransportBinding.commitment(inner: try octets(binding.inner), key: key)
    #expect(Hex.encode(commitment) == binding.sha256)
    let nonce = [UInt8](repeating: 7, count: 32)
    #expect(
      TransportBinding.reportData(nonce: nonce, inner: try octets(binding.inner), key: key)
        == nonce + commitment)
  }

  @Test func bindsToZerosWhereNoApplicationIsExpected() throws {
    let key = try X25519.PublicKey(octets(vectors.transportPublic))
    let zeros = [UInt8](repeating: 0, count: 32)
    #expect(
      TransportBinding.reportData(nonce: zeros, key: key)
        == TransportBinding.reportData(nonce: zeros, inner: zeros, key: key))
  }
}
