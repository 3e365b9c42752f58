import FoundationEssentials
import HTTP
import MeroConsent

@testable import ConsentBroker
@testable import TDXQuote

extension Subject {
  /// The local API's bodies. Beside our reader stand Foundation's and the one of quotes, written
  /// apart: what ours takes, they take, as the same value; what it refuses and they take, it
  /// refuses for a rule of its own.
  static let localJSON = Subject(
    name: "local-json", longest: 1024,
    words: [
      #"{"request":{"kind":"createOrg","name":""#, #"{"started":"#, #""open":true"#, "null",
      #"\ud83d\ude00"#, #"\u0000"#, "1e-5", "-0", "[[[[[[[[", #"{"a":{"a":{"a":"#, "\u{FEFF}",
    ]
  ) { bytes throws(Finding) in
    let value: JSONValue
    do throws(ConsentBroker.JSONReader.Malformed) {
      value = try ConsentBroker.JSONReader.read(bytes)
    } catch {
      try require(error.offset <= bytes.count, "it breaks behind its end")
      let ownRules = ["nested too deeply", "too many names", "a name is given twice"]
      try require(
        ownRules.contains("\(error.complaint)") || !isJSON(bytes),
        "only ours refuses it: \(error.complaint)")
      return
    }
    try require(isJSON(bytes), "only ours takes it")
    let again = try? ConsentBroker.JSONReader.read(value.bytes)
    try require(again?.bytes == value.bytes, "written and read, it is another")
    guard let reference = try? JSONDecoder().decode(ReferenceValue.self, from: Data(bytes)) else {
      throw Finding(description: "Foundation does not take it")
    }
    try require(value.agrees(with: reference), "Foundation reads another value")
    try checkStart(value.bytes)
  }

  private static func isJSON(_ bytes: [UInt8]) -> Bool {
    do {
      var reader = try TDXQuote.JSONReader(bytes)
      try reader.skip()
      try reader.end()
      return true
    } catch {
      return false
    }
  }

  /// As the body of a call: taken, or refused with a status and a sentence that are ours.
  private static func checkStart(_ body: [UInt8]) throws(Finding) {
    let request = HTTPRequest(
      method: .post, path: "/v1/requests", headers: [.contentType: "application/json"], body: body)
    do throws(APIProblem) {
      _ = try StartBody(APICall(request: request, id: ""))
    } catch {
      let document = error.document
      try require([422].contains(document.status), "refused with \(document.status)")
      try require(
        document.detail.utf8.allSatisfy { $0 >= 0x20 } && document.detail.utf8.count < 400,
        "a refusal that repeats what came: \(document.detail)")
    }
  }
}

/// Any JSON value as `JSONDecoder` reads it. Numbers are only known to be some.
private indirect enum ReferenceValue: Decodable {
  case null, number
  case bool(Bool)
  case string(String)
  case array([ReferenceValue])
  case object([String: ReferenceValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .bool(flag)
    } else if let text = try? container.decode(String.self) {
      self = .string(text)
    } else if let items = try? container.decode([ReferenceValue].self) {
      self = .array(items)
    } else if let members = try? container.decode([String: ReferenceValue].self) {
      self = .object(members)
    } else {
      self = .number
    }
  }
}

extension JSONValue {
  fileprivate func agrees(with reference: ReferenceValue) -> Bool {
    switch (self, reference) {
    case (.null, .null), (.number, .number): return true
    case (.bool(let left), .bool(let right)): return left == right
    case (.string(let left), .string(let right)): return left.utf8.elementsEqual(right.utf8)
    case (.array(let left), .array(let right)):
      return left.count == right.count && zip(left, right).allSatisfy { $0.agrees(with: $1) }
    case (.object(let left), .object(let right)):
      // Foundation's keys are equal where Unicode says so; ours only where their bytes are.
      guard left.count == right.count else { return Set(left.map(\.name)).count < left.count }
      return left.allSatisfy { member in
        right[member.name].map { member.value.agrees(with: $0) } ?? false
      }
    default: return false
    }
  }
}
