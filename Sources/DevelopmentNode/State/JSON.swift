import FoundationEssentials

/// A JSON value that need not fit any type: the node has to be able to send wrong ones.
package enum JSON: Sendable, Equatable {
  case null
  case bool(Bool)
  case number(Int64)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  /// - Throws: what `JSONDecoder` throws, also for a number that is no whole one.
  package init(parsing bytes: [UInt8]) throws {
    self = try JSONDecoder().decode(JSON.self, from: Data(bytes))
  }

  /// Compact, names in alphabetical order.
  package var bytes: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Every case has a form in JSON, so encoding cannot fail.
    return (try? encoder.encode(self)).map(Array.init) ?? Array("null".utf8)
  }

  /// A member of an object. Setting one of anything else does nothing.
  package subscript(name: String) -> JSON? {
    get {
      guard case .object(let members) = self else { return nil }
      return members[name]
    }
    set {
      guard case .object(var members) = self else { return }
      members[name] = newValue
      self = .object(members)
    }
  }

  package var string: String? {
    guard case .string(let value) = self else { return nil }
    return value
  }

  package var number: Int? {
    guard case .number(let value) = self else { return nil }
    return Int(value)
  }

  package var bool: Bool? {
    guard case .bool(let value) = self else { return nil }
    return value
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral,
  ExpressibleByArrayLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByNilLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int64) { self = .number(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(nilLiteral: ()) { self = .null }
  package init(arrayLiteral elements: JSON...) { self = .array(elements) }
  package init(dictionaryLiteral members: (String, JSON)...) {
    self = .object(Dictionary(members) { _, last in last })
  }

  package static func strings(_ values: some Sequence<String>) -> JSON {
    .array(values.map(JSON.string))
  }
}

extension JSON: Codable {
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  package init(from decoder: any Decoder) throws {
    if let members = try? decoder.container(keyedBy: Name.self) {
      var object: [String: JSON] = [:]
      for name in members.allKeys {
        object[name.stringValue] = try members.decode(JSON.self, forKey: name)
      }
      self = .object(object)
    } else if var elements = try? decoder.unkeyedContainer() {
      var array: [JSON] = []
      while !elements.isAtEnd { array.append(try elements.decode(JSON.self)) }
      self = .array(array)
    } else {
      let value = try decoder.singleValueContainer()
      if value.decodeNil() {
        self = .null
      } else if let bool = try? value.decode(Bool.self) {
        self = .bool(bool)
      } else if let string = try? value.decode(String.self) {
        self = .string(string)
      } else {
        self = .number(try value.decode(Int64.self))
      }
    }
  }

  package func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let members):
      var container = encoder.container(keyedBy: Name.self)
      for (name, value) in members {
        try container.encode(value, forKey: Name(stringValue: name))
      }
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .number(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .string(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }
}
