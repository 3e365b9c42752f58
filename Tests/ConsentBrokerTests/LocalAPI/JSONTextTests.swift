import FoundationEssentials
import Testing

@testable import ConsentBroker

@Suite struct JSONTextTests {
  private struct Everything: JSONObject, Encodable {
    struct Inner: JSONObject, Encodable {
      let flag: Bool

      func write(to json: inout JSONText) { json.member("flag", flag) }
    }

    var at: Date? = Date(timeIntervalSince1970: 1_900_000_000.25)
    var flag: Bool? = true
    var inner: Inner? = Inner(flag: false)
    var list: [Inner]? = [Inner(flag: true), Inner(flag: false)]
    var none: [String]? = []
    var number: Int? = -17
    var text: String?
    var texts: [String]? = ["a", "b/c"]

    func write(to json: inout JSONText) {
      json.member("at", at)
      json.member("flag", flag)
      json.member("inner", inner)
      json.member("list", list)
      json.member("none", none)
      json.member("number", number)
      json.member("text", text)
      json.member("texts", texts)
    }
  }

  private static func written(_ value: some JSONObject) -> String {
    String(decoding: JSONText(value).bytes, as: UTF8.self)
  }

  @Test func writesEveryKindOfMember() {
    #expect(
      Self.written(Everything(text: "x"))
        == #"{"at":"2030-03-17T17:46:40.250Z","flag":true,"inner":{"flag":false},"#
        + #""list":[{"flag":true},{"flag":false}],"none":[],"number":-17,"text":"x","#
        + #""texts":["a","b/c"]}"#)
  }

  @Test func leavesOutWhatIsNil() {
    let nothing = Everything(
      at: nil, flag: nil, inner: nil, list: nil, none: nil, number: nil, text: nil, texts: nil)
    #expect(Self.written(nothing) == "{}")
  }

  /// Every byte that JSON escapes, and every one beside it; what is not ASCII stays as it is.
  @Test func escapesAsFoundationDoes() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var text = "é 日本 \u{2028} \u{1F512} \u{7F} \u{80} /"
    for byte in UInt8(0)..<0x60 { text.unicodeScalars.append(Unicode.Scalar(byte)) }
    let value = Everything(at: nil, text: text)
    let expected = String(decoding: try encoder.encode(value), as: UTF8.self)
    #expect(Self.written(value) == expected)
  }

  @Test func whatIsWrittenIsReadBackTheSame() throws {
    var text = ""
    for number in UInt32(0)..<0x300 {
      if let scalar = Unicode.Scalar(number) { text.unicodeScalars.append(scalar) }
    }
    let value = try JSONReader.read(JSONText(Everything(text: text)).bytes)
    guard case .object(let members) = value,
      case .string(let read)? = members.first(where: { $0.isNamed("text") })?.value
    else {
      Issue.record("no text")
      return
    }
    #expect(read.utf8.elementsEqual(text.utf8))
  }
}
