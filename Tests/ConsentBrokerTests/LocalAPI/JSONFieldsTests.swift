import MeroConsent
import Testing

@testable import ConsentBroker

@Suite struct JSONFieldsTests {
  func fields(_ text: String, path: String = "") throws -> JSONFields {
    try JSONFields(JSONReader.read(Array(text.utf8)), path: path)
  }

  func problem(_ body: () throws -> Void) -> APIProblem? {
    do {
      try body()
      return nil
    } catch { return error as? APIProblem }
  }

  @Test func readsEachKindOfField() throws {
    var fields = try fields(#"{"t":"x","f":true,"l":["a"],"o":{"i":"y"},"n":null}"#)
    #expect(try fields.text("t") == "x")
    #expect(try fields.optionalFlag("f") == true)
    #expect(try fields.optionalTexts("l") == ["a"])
    var inner = try fields.object("o")
    #expect(try inner.text("i") == "y")
    #expect(try fields.optionalText("n") == nil)
    #expect(try fields.optionalText("absent") == nil)
    try inner.finish()
    try fields.finish()
  }

  @Test func namesAFieldThatNobodyAskedFor() throws {
    var fields = try fields(#"{"a":"x","b":"y"}"#)
    _ = try fields.text("a")
    let refused = try #require(problem { try fields.finish() })
    #expect(refused.document.status == 422)
    #expect(refused.document.code == "FIELD_INVALID")
    #expect(refused.document.field == "b")
  }

  @Test func namesANestedFieldByItsPath() throws {
    var fields = try fields(#"{"node":{"url":1}}"#)
    var node = try fields.object("node")
    let refused = try #require(problem { _ = try node.text("url") })
    #expect(refused.document.field == "node.url")
    #expect(refused.document.detail == "The field “node.url” is not a text.")
  }

  @Test(arguments: [
    #"{"a":1}"#, #"{"a":true}"#, #"{"a":["x"]}"#, #"{"a":{}}"#, #"{"a":null}"#, "{}",
  ]) func refusesWhatIsNoText(_ text: String) throws {
    var fields = try fields(text)
    let refused = try #require(problem { _ = try fields.text("a") })
    #expect(refused.document.field == "a")
  }

  @Test(arguments: ["[]", "1", "\"a\"", "null", "true"])
  func refusesWhatIsNoObject(_ text: String) throws {
    let refused = try #require(problem { _ = try self.fields(text) })
    #expect(refused.document.status == 422)
    #expect(refused.document.field == nil)
  }

  @Test(arguments: [#"{"a":[1]}"#, #"{"a":"x"}"#, #"{"a":[null]}"#])
  func refusesWhatIsNoListOfTexts(_ text: String) throws {
    var fields = try fields(text)
    #expect(problem { _ = try fields.optionalTexts("a") }?.document.field == "a")
  }

  @Test(arguments: ["<b>", "a b", "a\\n", "é", "", String(repeating: "a", count: 49)])
  func repeatsNoNameThatIsNotOne(_ name: String) throws {
    let fields = try fields("{\"\(name)\":1}")
    let refused = try #require(problem { try fields.finish() })
    #expect(refused.document.field == "?")
  }

  @Test func repeatsNoValue() throws {
    var fields = try fields(#"{"accessToken":["MARKER"]}"#)
    let refused = try #require(problem { _ = try fields.text("accessToken") })
    #expect(!"\(refused.document)".contains("MARKER"))
  }
}
