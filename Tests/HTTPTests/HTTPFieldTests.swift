import HTTP
import Testing

@Suite struct HTTPFieldTests {
  @Test(arguments: ["", "a b", "a:", "a\r\nb", "ä", "a\0", "(a)", "a,b", "a\t"])
  func aNameThatExistsIsValid(_ text: String) {
    #expect(HTTPFieldName(text) == nil)
  }

  @Test(arguments: ["a\r\nX: y", "a\n", "\ra", "a\0b", " a", "a ", "\ta", "a\u{7F}", "\u{1B}[2J"])
  func aValueThatExistsIsValid(_ text: String) {
    #expect(HTTPFieldValue(text) == nil)
  }

  @Test(arguments: ["", "a", "a b", "a\tb", "ä", "\"q\""])
  func takesAValue(_ text: String) throws {
    #expect(try #require(HTTPFieldValue(text)).text == text)
  }

  @Test(arguments: ["", "G T", "GET ", "GÄT", "a\r\n"])
  func aMethodThatExistsIsValid(_ text: String) {
    #expect(HTTPMethod(text) == nil)
  }

  @Test func aBadLiteralStopsTheProgram() async {
    await #expect(processExitsWith: .failure) { _ = "a b" as HTTPFieldName }
    await #expect(processExitsWith: .failure) { _ = "a\r\nb" as HTTPFieldValue }
    await #expect(processExitsWith: .failure) { _ = 99 as HTTPStatus }
    await #expect(processExitsWith: .failure) { _ = ServerSentEvent(data: "", id: "1\n") }
  }

  @Test func namesAreComparedWithoutCase() {
    #expect(HTTPFieldName("x-a") == "X-A")
    #expect(Set<HTTPFieldName>(["x-a", "X-A", "x-b"]).count == 2)
    let headers: HTTPHeaders = ["X-A": "1", "x-b": "2", "x-a": "3"]
    #expect(headers["x-A"] == "1")
    #expect(headers.values(of: "X-a") == ["1", "3"])
    #expect(headers["x"] == nil)
    #expect(headers.contains("X-B") && !headers.contains("X-C"))
  }

  @Test func fieldsAreSetAndRemoved() {
    var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3"]
    headers.set("a", "4")
    #expect(headers == ["B": "2", "A": "4"])
    headers.remove("b")
    headers.remove("missing")
    #expect(headers == ["a": "4"])
    #expect(headers.wire == Array("a: 4\r\n".utf8))
    #expect(headers != ["a": "5"] && headers != ["a": "4", "b": "1"])
  }

  @Test(arguments: [
    ("close", true), ("Close", true), ("a, close", true), ("a,close ,b", true), ("closed", false),
    ("", false), (",", false), ("a close", false),
  ])
  func findsATokenInAList(_ value: String, _ expected: Bool) throws {
    var headers = HTTPHeaders()
    headers.add("Connection", try #require(HTTPFieldValue(value)))
    #expect(headers.lists("close", in: .connection) == expected)
  }
}
