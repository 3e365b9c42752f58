import FoundationEssentials

/// The published vectors of the sealed transport, as they were published.
struct V2Vectors: Decodable, Sendable {
  let protocolName: String
  let prologue: String
  let transportSecret: String
  let transportPublic: String
  let clientEphemeralSecret: String
  let handshakeRequest: String
  let handshakeResponse: String
  let sessionId: String
  let lifetimeSeconds: UInt32
  let requestId: UInt64
  let requestHeadJson: String
  let requestBody: String
  let sealedRequest: String
  let sealedResponse: String
  let responseStatus: Int
  let responseHeaders: [[String]]
  let responseBody: String
  let transportBinding: Binding

  struct Binding: Decodable, Sendable {
    let domain: String
    let inner: String
    let transportKey: String
    let sha256: String

    enum CodingKeys: String, CodingKey {
      case domain = "domain_utf8"
      case inner
      case transportKey = "transport_key"
      case sha256
    }
  }

  enum CodingKeys: String, CodingKey {
    case protocolName = "protocol"
    case prologue = "prologue_utf8"
    case transportSecret = "transport_secret"
    case transportPublic = "transport_public"
    case clientEphemeralSecret = "client_ephemeral_secret"
    case handshakeRequest = "handshake_request"
    case handshakeResponse = "handshake_response"
    case sessionId = "session_id"
    case lifetimeSeconds = "lifetime_seconds"
    case requestId = "request_id"
    case requestHeadJson = "request_head_json"
    case requestBody = "request_body_utf8"
    case sealedRequest = "sealed_request"
    case sealedResponse = "sealed_response"
    case responseStatus = "response_status"
    case responseHeaders = "response_headers"
    case responseBody = "response_body_utf8"
    case transportBinding = "transport_binding"
  }

  static func load() throws -> V2Vectors {
    try JSONDecoder().decode(V2Vectors.self, from: Data(published.utf8))
  }

  private static let published = #"""
    {
      "about": "Published vectors of the sealed transport v2. All byte strings are lower-case hex. The node's side of the handshake was produced by an independent Noise implementation.",
      "protocol": "Noise_NK_25519_AESGCM_SHA256",
      "prologue_utf8": "calimero/sealed-http/v2",
      "transport_secret": "2222222222222222222222222222222222222222222222222222222222222222",
      "transport_public": "0faa684ed28867b97f4a6a2dee5df8ce974e76b7018e3f22a1c4cf2678570f20",
      "client_ephemeral_secret": "3333333333333333333333333333333333333333333333333333333333333333",
      "handshake_request": "020faa684ed28867b97f4a6a2dee5df8ce974e76b7018e3f22a1c4cf2678570f207b0d47d93427f8311160781c7c733fd89f88970aef490d8aa0ee19a4cb8a1b1461fba335b4f3e9be8a34a61900e5b4be",
      "handshake_response": "02ff2ee45601ec1b67310c7790404585ae697331eee1c1f8cf2419731c1fff3e6b7d6339b7296bdc4778248f57126a10ee5b7fb39b0cb104dcbfcaaaf44d0e6017379638a4",
      "session_id": "55555555555555555555555555555555",
      "lifetime_seconds": 3600,
      "request_id": 1,
      "request_head_json": "{\"method\":\"POST\",\"path\":\"/jsonrpc\",\"headers\":[[\"content-type\",\"application/json\"]]}",
      "request_body_utf8": "{}",
      "sealed_request": "025555555555555555555555555555555500000000000000019fa4301264a48bdf6811cfb1d7c3dad713ede5ea1820608358ff2779cee1605efc3d97879f24d6cf302a7877beda552ca6714ef9d5496f978fdcdde522435cf663e4be5f60170e8eab74161a913608fe268e5352fcd3090d62e2a12c92b06b51885d43c4d83dcfe544",
      "sealed_response": "0000004f4873ec5a589a1e3585360440100bc00d20522fe35bac2221dcfe80341ce3069481d4794b801776f4a76188b81887eb83cfccd2981229af48a3820df924261b3ff12d4b29340ca07c392ed4e0ee4bed0000001cfa20a7633655179808da19e2fcbc81bc219262fc4f5406582834f549000000111426897864d7a92eec9261fe2993415592",
      "response_status": 200,
      "response_headers": [["content-type", "application/json"]],
      "response_body_utf8": "{\"ok\":true}",
      "transport_binding": {
        "domain_utf8": "calimero.tee-attest.transport-key.v1",
        "inner": "1111111111111111111111111111111111111111111111111111111111111111",
        "transport_key": "2222222222222222222222222222222222222222222222222222222222222222",
        "sha256": "30274595433e8afc5d4035e30a2b599d93caf0d470867527f13dc6af92fa12a8"
      }
    }
    """#
}
