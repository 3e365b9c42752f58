import Crypto
import FoundationEssentials
import Sealed
import Testing

@Suite(.timeLimit(.minutes(5))) struct EnvelopeTests {
  static let header = RequestEnvelope.Header(
    sessionID: [UInt8](repeating: 0x55, count: 16), requestID: 0x0102_0304_0506_0708)

  private func roundTrip(
    _ head: SealedRequestHead, body: [UInt8] = []
  ) throws -> (json: String, head: SealedRequestHead, body: [UInt8]) {
    let key = Secret.random(count: 32)
    var sealer = AES256GCM.Sealer(key: key)
    var opener = AES256GCM.Opener(key: key)
    let sealed = RequestEnvelope.seal(head, body: body, header: Self.header, with: &sealer)
    let header = try RequestEnvelope.Header(of: sealed)
    #expect(header == Self.header)
    let inner = try RequestEnvelope.openInner(sealed, header: header, with: &opener)
    let parsed = try RequestEnvelope.parse(inner)
    let json = inner.dropFirst(4).dropLast(parsed.body.count)
    return (String(decoding: json, as: UTF8.self), parsed.head, parsed.body)
  }

  @Test func writesTheHeaderBigEndian() {
    #expect(
      Hex.encode(Self.header.bytes) == "02" + String(repeating: "55", count: 16)
        + "0102030405060708")
  }

  @Test func writesAHeadCompactAndInOrder() throws {
    let trip = try roundTrip(
      SealedRequestHead(
        method: "GET", path: "/a/b?c=d", fields: [SealedField("b", "2"), SealedField("a", "1")]))
    #expect(trip.json == #"{"method":"GET","path":"/a/b?c=d","headers":[["b","2"],["a","1"]]}"#)
  }

  @Test func leavesHopFieldsOut() throws {
    let hops = ["connection", "content-length", "host", "transfer-encoding", "upgrade"]
    let fields = hops.flatMap { [SealedField($0, "x"), SealedField($0.uppercased(), "x")] }
    let trip = try roundTrip(
      SealedRequestHead(method: "GET", path: "/", fields: fields + [SealedField("te", "kept")]))
    #expect(trip.head.fields == [SealedField("te", "kept")])
    #expect(trip.json == #"{"method":"GET","path":"/","headers":[["te","kept"]]}"#)
  }

  @Test func escapesWhatJSONDemandsAndNothingElse() throws {
    let value = "\" \\ / \u{8}\t\n\u{c}\r \u{0}\u{1f} \u{7f} é 世 🜁"
    let head = SealedResponseHead(status: 200, fields: [SealedField("x", value)])
    let json = String(decoding: head.json(), as: UTF8.self)
    #expect(
      json == #"{"status":200,"headers":[["x",""#
        + #"\" \\ / \b\t\n\f\r \u0000\u001f "# + "\u{7f} é 世 🜁" + #""]]}"#)
    struct Form: Decodable { let headers: [[String]] }
    let form = try JSONDecoder().decode(Form.self, from: Data(json.utf8))
    #expect(form.headers == [["x", value]])
  }

  @Test func carriesAnyBody() throws {
    let body = (0..<256).map { UInt8($0) }
    let trip = try roundTrip(
      SealedRequestHead(method: "POST", path: "/", fields: []), body: body)
    #expect(trip.body == body)
  }

  @Test func keepsSecretsOutOfDescriptions() {
    let marker = "marker-of-a-secret"
    let field = SealedField("authorization", marker)
    let request = SealedRequest(
      method: "POST", path: "/\(marker)", fields: [field], bearer: Redacted(marker),
      body: Array(marker.utf8))
    let response = SealedResponse(status: 200, fields: [field], body: Array(marker.utf8))
    let head = SealedRequestHead(method: "POST", path: "/", fields: [field])
    for value in [request, response, field, head] as [Any] {
      var dumped = ""
      dump(value, to: &dumped)
      for text in ["\(value)", String(reflecting: value), dumped] {
        #expect(!text.contains(marker))
        // The bytes of the marker, as a dump of an array would show them.
        #expect(!text.contains("109"))
      }
    }
  }

  @Test func everyRefusalReadsAsItWasWritten() async throws {
    for code in NodeRefusal.Code.allCases {
      let fixture = await ChannelFixture()
      await fixture.node.next(.handshake, .refuse(code), .refuse(code))
      async let failure = fixture.failure()
      if code == .busy {
        await fixture.clock.untilSomebodySleeps(for: .seconds(1))
        fixture.clock.advance(by: .seconds(1))
      }
      let expected: SealedError =
        code == .staleTransportKey
        ? .untrusted(.pinnedKeyStale) : .refused(NodeRefusal(code))
      #expect(await failure == expected)
    }
  }
}
