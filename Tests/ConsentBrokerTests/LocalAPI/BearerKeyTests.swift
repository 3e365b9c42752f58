import Testing

@testable import ConsentBroker

@Suite struct BearerKeyTests {
  @Test(arguments: ["Bearer abc", "bearer abc", "BEARER abc", "Bearer   abc"])
  func readsTheKey(_ value: String) {
    #expect(BearerKey.read([value]) == "abc")
  }

  @Test(arguments: [
    [], [""], ["Bearer"], ["Bearer "], ["abc"], ["Basic abc"], ["Bearerabc"], ["Bearer\tabc"],
    ["Bearer abc", "Bearer abc"],
  ]) func readsNoneElsewhere(_ values: [String]) {
    #expect(BearerKey.read(values) == nil)
  }

  @Test func leavesTheKeyAsItIs() {
    #expect(BearerKey.read(["Bearer a b=\u{e9}"]) == "a b=\u{e9}")
  }
}
