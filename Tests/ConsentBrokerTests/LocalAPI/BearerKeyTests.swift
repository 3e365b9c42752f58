import HTTP
import Testing

@testable import ConsentBroker

@Suite struct BearerKeyTests {
  private static func headers(_ values: [String]) -> HTTPHeaders {
    var headers = HTTPHeaders()
    for value in values.compactMap(HTTPFieldValue.init) { headers.add(.authorization, value) }
    return headers
  }

  @Test(arguments: ["Bearer abc", "bearer abc", "BEARER abc", "Bearer   abc"])
  func readsTheKey(_ value: String) {
    #expect(BearerKey.read(Self.headers([value])) == Array("abc".utf8)[...])
  }

  @Test(arguments: [
    [], [""], ["Bearer"], ["Bearer\u{e9}"], ["abc"], ["Basic abc"], ["Bearerabc"], ["Bearer\tabc"],
    ["Bearer abc", "Bearer abc"],
  ]) func readsNoneElsewhere(_ values: [String]) {
    #expect(BearerKey.read(Self.headers(values)) == nil)
  }

  @Test func leavesTheKeyAsItIs() {
    #expect(BearerKey.read(Self.headers(["Bearer a b=\u{e9}"])) == Array("a b=\u{e9}".utf8)[...])
  }
}
