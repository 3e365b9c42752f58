/// Reads the fields of one JSON object by name, remembers which were read, and refuses the rest.
///
/// Every refusal is `CONSENT_REQUEST_INVALID` with the field's path (`teams[2].role`); none
/// repeats a value. What JSONDecoder says about a value is dropped for that reason.
package struct StrictFields {
  private let container: KeyedDecodingContainer<AnyKey>
  /// Where this object stands in the document: `""` or `teams[2].`.
  private let prefix: String
  private var read: Set<String> = []

  package init(_ decoder: any Decoder) throws(ConsentError) {
    do {
      container = try decoder.container(keyedBy: AnyKey.self)
    } catch {
      throw ConsentError.requestInvalid(nil, "is not a JSON object")
    }
    prefix = ""
  }

  private init(_ container: KeyedDecodingContainer<AnyKey>, prefix: String) {
    self.container = container
    self.prefix = prefix
  }

  package mutating func text(_ name: String) throws(ConsentError) -> String {
    try required(optionalText(name), name)
  }

  package mutating func optionalText(_ name: String) throws(ConsentError) -> String? {
    try optional(String.self, name, "is not a text")
  }

  package mutating func texts(_ name: String) throws(ConsentError) -> [String] {
    try required(optionalTexts(name), name)
  }

  package mutating func optionalTexts(_ name: String) throws(ConsentError) -> [String]? {
    try optional([String].self, name, "is not a list of texts")
  }

  package mutating func optionalInt(_ name: String) throws(ConsentError) -> Int? {
    try optional(Int.self, name, "is not a whole number")
  }

  package mutating func flag(_ name: String) throws(ConsentError) -> Bool {
    try required(optionalFlag(name), name)
  }

  package mutating func optionalFlag(_ name: String) throws(ConsentError) -> Bool? {
    try optional(Bool.self, name, "is neither true nor false")
  }

  package mutating func mask(_ name: String) throws(ConsentError) -> UInt32 {
    try required(optionalMask(name), name)
  }

  package mutating func optionalMask(_ name: String) throws(ConsentError) -> UInt32? {
    try optional(UInt32.self, name, "is not a number of 32 bits")
  }

  /// A required list of objects.
  package mutating func rows(_ name: String) throws(ConsentError) -> [StrictFields] {
    guard try optional(Present.self, name, "") != nil else {
      throw ConsentError.requestInvalid(prefix + name, "is missing")
    }
    do {
      var list = try container.nestedUnkeyedContainer(forKey: AnyKey(name))
      var rows: [StrictFields] = []
      while !list.isAtEnd {
        let place = "\(prefix)\(name)[\(list.currentIndex)]."
        rows.append(StrictFields(try list.nestedContainer(keyedBy: AnyKey.self), prefix: place))
      }
      return rows
    } catch {
      throw ConsentError.requestInvalid(prefix + name, "is not a list of objects")
    }
  }

  /// Refuses the fields that nobody asked for.
  package func finish() throws(ConsentError) {
    for key in container.allKeys where !read.contains(key.stringValue) {
      throw ConsentError.requestInvalid(prefix + key.stringValue, "is not known here")
    }
  }

  /// A field that is missing, and one that is `null`, are the same: `nil`.
  private mutating func optional<Value: Decodable>(
    _ type: Value.Type, _ name: String, _ complaint: String
  ) throws(ConsentError) -> Value? {
    read.insert(name)
    do {
      return try container.decodeIfPresent(type, forKey: AnyKey(name))
    } catch {
      throw ConsentError.requestInvalid(prefix + name, complaint)
    }
  }

  private func required<Value>(_ value: Value?, _ name: String) throws(ConsentError) -> Value {
    guard let value else { throw ConsentError.requestInvalid(prefix + name, "is missing") }
    return value
  }
}

/// Any JSON value but null.
private struct Present: Decodable {
  init(from decoder: any Decoder) {}
}

package struct AnyKey: CodingKey {
  package let stringValue: String
  package var intValue: Int? { nil }

  package init(_ name: String) { stringValue = name }
  package init(stringValue: String) { self.stringValue = stringValue }
  package init?(intValue: Int) { nil }
}
