import FoundationEssentials
import MeroConsent
import Testing

@Suite struct ConsentRequestBodyTests {
  static let back = #""returnTo":"https://notes.example/r""#

  /// What goes over the wire, field by field, keys sorted.
  static let bodies: [String] = [
    #"{"kind":"createOrg","name":"Acme",\#(back)}"#,
    #"{"allApps":false,"kind":"createInvite","org":"o",\#(back),"role":"member","teams":["t1","t2"],"ttlSecs":3600,"uses":1}"#,
    #"{"kind":"acceptInvite",\#(back),"token":"invite-token"}"#,
    #"{"kind":"renameOrg","name":"New","org":"o",\#(back)}"#,
    #"{"kind":"deleteOrg","org":"o",\#(back)}"#,
    #"{"kind":"leaveOrg","org":"o",\#(back)}"#,
    #"{"account":"a","kind":"removeMember","org":"o",\#(back)}"#,
    #"{"account":"a","kind":"setMemberRole","org":"o",\#(back),"role":"auditor"}"#,
    #"{"account":"a","kind":"setMemberTeams","org":"o",\#(back),"teams":[{"capabilities":9,"role":"admin","team":"t"},{"team":"u"}]}"#,
    #"{"account":"a","kind":"removeMemberTeams","org":"o",\#(back),"teams":["t"]}"#,
    #"{"inviteKey":"k","kind":"revokeInvite","org":"o",\#(back)}"#,
    #"{"account":"a","capabilities":2147483651,"kind":"setCapabilities","org":"o",\#(back),"team":"t"}"#,
    #"{"account":"a","allApps":true,"kind":"setAllApps","org":"o",\#(back)}"#,
    #"{"kind":"release",\#(back),"tag":"2.3.87"}"#,
    #"{"instance":"i","kind":"upgrade",\#(back),"version":"1.2.0"}"#,
    #"{"hosts":["api.example","db.example:5432"],"instance":"i","kind":"outbound",\#(back)}"#,
  ]

  static func encoded(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  static func decoded(_ text: String) throws -> ConsentRequestBody {
    try JSONDecoder().decode(ConsentRequestBody.self, from: Data(text.utf8))
  }

  @Test(arguments: zip(Fixture.everyRequest, bodies))
  func isTheTableOfTheDesign(request: ConsentRequest, body: String) throws {
    #expect(try Self.encoded(request.generated()) == body)
  }

  @Test(arguments: zip(Fixture.everyRequest, bodies))
  func isReadBackAsItWasWritten(request: ConsentRequest, body: String) throws {
    #expect(try Self.decoded(body).request == request)
  }

  @Test func coversEveryKind() {
    #expect(Fixture.everyRequest.map(\.kind) == ConsentKind.allCases)
  }

  @Test func leavesOutWhatIsNil() throws {
    #expect(
      try Self.encoded(ConsentRequest.createInvite(org: "o").generated())
        == #"{"kind":"createInvite","org":"o"}"#)
    #expect(
      try Self.encoded(ConsentRequest.setCapabilities(org: "o", capabilities: []).generated())
        == #"{"capabilities":0,"kind":"setCapabilities","org":"o"}"#)
  }

  @Test func keepsARequestsOwnReturnToBeforeAnother() throws {
    let own = ConsentRequest.leaveOrg(org: "o", returnTo: "https://a.example/")
    #expect(
      ConsentRequestBody(own, returnTo: "https://b.example/").returnTo == "https://a.example/")
    let none = ConsentRequestBody(.leaveOrg(org: "o"), returnTo: "https://b.example/")
    #expect(
      try Self.encoded(none)
        == #"{"kind":"leaveOrg","org":"o","returnTo":"https://b.example/"}"#)
  }

  @Test func readsNullAsLeftOut() throws {
    #expect(
      try Self.decoded(#"{"kind":"createInvite","org":"o","role":null,"teams":null}"#).request
        == .createInvite(org: "o"))
  }

  @Test func keepsUnknownCapabilityBitsAndRoles() throws {
    let all = try Self.decoded(#"{"kind":"setCapabilities","org":"o","capabilities":4294967295}"#)
    #expect(
      all.request == .setCapabilities(org: "o", capabilities: OrgCapabilities(rawValue: .max)))
    let role = try Self.decoded(
      #"{"kind":"setMemberRole","org":"o","account":"a","role":"keeper of keys"}"#)
    #expect(role.request == .setMemberRole(org: "o", account: "a", role: "keeper of keys"))
  }

  /// A body that must be refused, and the field that the refusal names.
  static let refused: [(String, String?)] = [
    (#"{}"#, "kind"),
    (#"{"kind":null}"#, "kind"),
    (#"{"kind":7}"#, "kind"),
    (#"{"kind":"createorg","name":"n"}"#, "kind"),
    (#"{"kind":"createOrg"}"#, "name"),
    (#"{"kind":"createOrg","name":null}"#, "name"),
    (#"{"kind":"createOrg","name":["n"]}"#, "name"),
    (#"{"kind":"createOrg","name":"n","org":"o"}"#, "org"),
    (#"{"kind":"createOrg","name":"n","Name":"o"}"#, "Name"),
    (#"{"kind":"createOrg","name":"n","\u0000":1}"#, "?"),
    (#"{"kind":"createOrg","name":"n","returnTo":{}}"#, "returnTo"),
    (#"{"kind":"createInvite","org":"o","ttlSecs":"60"}"#, "ttlSecs"),
    (#"{"kind":"createInvite","org":"o","ttlSecs":1.5}"#, "ttlSecs"),
    (#"{"kind":"createInvite","org":"o","uses":9223372036854775808}"#, "uses"),
    (#"{"kind":"createInvite","org":"o","allApps":1}"#, "allApps"),
    (#"{"kind":"createInvite","org":"o","teams":"t"}"#, "teams"),
    (#"{"kind":"createInvite","org":"o","teams":["t",1]}"#, "teams"),
    (#"{"kind":"setCapabilities","org":"o"}"#, "capabilities"),
    (#"{"kind":"setCapabilities","org":"o","capabilities":-1}"#, "capabilities"),
    (#"{"kind":"setCapabilities","org":"o","capabilities":4294967296}"#, "capabilities"),
    (#"{"kind":"setMemberTeams","org":"o","account":"a"}"#, "teams"),
    (#"{"kind":"setMemberTeams","org":"o","account":"a","teams":null}"#, "teams"),
    (#"{"kind":"setMemberTeams","org":"o","account":"a","teams":["t"]}"#, "teams"),
    (#"{"kind":"setMemberTeams","org":"o","account":"a","teams":{}}"#, "teams"),
    (#"{"kind":"setMemberTeams","org":"o","account":"a","teams":[{}]}"#, "teams[0].team"),
    (
      #"{"kind":"setMemberTeams","org":"o","account":"a","teams":[{"team":"t"},{"team":"u","x":1}]}"#,
      "teams[1].x"
    ),
    (
      #"{"kind":"setMemberTeams","org":"o","account":"a","teams":[{"team":"t","role":1}]}"#,
      "teams[0].role"
    ),
    (#"[]"#, nil),
    (#""createOrg""#, nil),
  ]

  @Test(arguments: refused)
  func namesTheFieldThatItRefuses(body: String, field: String?) {
    let error = refusal { try Self.decoded(body) }
    #expect(error?.code == .requestInvalid)
    #expect(error?.field == field)
  }

  @Test(arguments: bodies)
  func refusesAFieldTooManyInEveryKind(body: String) {
    let error = refusal { try Self.decoded(body.dropLast() + #","extra":null}"#) }
    #expect(error?.code == .requestInvalid)
    #expect(error?.field == "extra")
  }
}
