import FoundationEssentials
import MeroConsent

/// A thing that the local API answers, as a JSON object.
protocol JSONObject {
  /// Writes the members in the order of their names: the same value is the same bytes.
  func write(to json: inout JSONText)
}

/// One JSON object as it is being written, on one line.
///
/// Every call of an app ends here. `JSONEncoder` takes fifty times as long, most of it for boxes
/// and dictionaries that are gone with the answer.
struct JSONText {
  private(set) var bytes: [UInt8] = []
  /// Nothing stands in the open object yet.
  private var isEmpty = true

  init(_ object: some JSONObject) {
    bytes.reserveCapacity(512)
    append(object)
  }

  /// All of it, with a line end.
  consuming func line() -> [UInt8] {
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }

  // MARK: Members. What is `nil` is left out.

  mutating func member(_ name: StaticString, _ text: String?) {
    guard let text else { return }
    begin(name)
    append(text)
  }

  mutating func member(_ name: StaticString, _ number: Int?) {
    guard let number else { return }
    begin(name)
    append(number)
  }

  mutating func member(_ name: StaticString, _ flag: Bool?) {
    guard let flag else { return }
    begin(name)
    append(flag ? "true" : "false" as StaticString)
  }

  mutating func member(_ name: StaticString, _ date: Date?) {
    guard let date else { return }
    begin(name)
    append(RFC3339.text(date))
  }

  mutating func member(_ name: StaticString, _ object: (some JSONObject)?) {
    guard let object else { return }
    begin(name)
    append(object)
  }

  mutating func member(_ name: StaticString, _ texts: [String]?) {
    guard let texts else { return }
    begin(name)
    list(texts) { $0.append($1) }
  }

  mutating func member(_ name: StaticString, _ objects: [some JSONObject]?) {
    guard let objects else { return }
    begin(name)
    list(objects) { $0.append($1) }
  }

  /// A value that is JSON already.
  mutating func member(_ name: StaticString, written json: String?) {
    guard let json else { return }
    begin(name)
    // Its place and all that follows, at once.
    bytes.reserveCapacity(bytes.count + json.utf8.count + 512)
    bytes.append(contentsOf: json.utf8)
  }

  // MARK: Parts

  private mutating func begin(_ name: StaticString) {
    if !isEmpty { bytes.append(UInt8(ascii: ",")) }
    isEmpty = false
    bytes.append(UInt8(ascii: "\""))
    append(name)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func append(_ object: some JSONObject) {
    bytes.append(UInt8(ascii: "{"))
    isEmpty = true
    object.write(to: &self)
    isEmpty = false
    bytes.append(UInt8(ascii: "}"))
  }

  private mutating func list<Item>(
    _ items: [Item], _ append: (inout JSONText, Item) -> Void
  ) {
    bytes.append(UInt8(ascii: "["))
    for (index, item) in items.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      append(&self, item)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func append(_ number: Int) {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    let start = bytes.count
    var rest = number.magnitude
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  private mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  private mutating func append(_ text: String) { Self.append(text, to: &bytes) }
}

extension JSONText {
  /// Appends a text with its quotes (RFC 8259, section 7): what must be escaped is, nothing else.
  static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    let isPlain: Bool? = text.utf8.withContiguousStorageIfAvailable { text in
      guard !text.contains(where: mustEscape) else { return false }
      bytes.append(contentsOf: text)
      return true
    }
    if isPlain != true { for byte in text.utf8 { append(byte, to: &bytes) } }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func mustEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
    case 0x08: bytes += "\\b".utf8
    case 0x09: bytes += "\\t".utf8
    case 0x0A: bytes += "\\n".utf8
    case 0x0C: bytes += "\\f".utf8
    case 0x0D: bytes += "\\r".utf8
    case 0..<0x20:
      let digits = Array("0123456789abcdef".utf8)
      bytes += "\\u00".utf8
      bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    default: bytes.append(byte)
    }
  }
}
