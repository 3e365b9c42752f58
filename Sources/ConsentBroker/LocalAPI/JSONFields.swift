import Desktop
import HTTP

/// Reads the fields of one object by name, remembers which were read, and refuses the rest.
///
/// Every refusal is 422 and names the field by its path. None repeats a value. A field that is
/// `null` counts as missing.
struct JSONFields {
  private let members: [JSONMember]
  /// Where this object stands in the body: `""` or `node.`.
  private let path: String
  private var read: [String] = []

  init(_ value: JSONValue, path: String = "") throws(APIProblem) {
    guard case .object(let members) = value else {
      let field = path.isEmpty ? nil : String(path.dropLast())
      throw Self.invalid(field, "is not a JSON object")
    }
    self.members = members
    self.path = path
  }

  // MARK: Reading

  mutating func value(_ name: String) -> JSONValue? {
    read.append(name)
    guard let member = members.first(where: { $0.isNamed(name) }) else { return nil }
    if case .null = member.value { return nil }
    return member.value
  }

  mutating func text(_ name: String) throws(APIProblem) -> String {
    try required(optionalText(name), name)
  }

  mutating func optionalText(_ name: String) throws(APIProblem) -> String? {
    switch value(name) {
    case nil: return nil
    case .string(let text): return text
    default: throw invalid(name, "is not a text")
    }
  }

  mutating func optionalFlag(_ name: String) throws(APIProblem) -> Bool? {
    switch value(name) {
    case nil: return nil
    case .bool(let flag): return flag
    default: throw invalid(name, "is neither true nor false")
    }
  }

  mutating func optionalActivationToken() throws(APIProblem) -> ActivationToken? {
    guard let text = try optionalText("activationToken") else { return nil }
    return try required(ActivationToken(text), "activationToken", "is no activation token")
  }

  mutating func optionalTexts(_ name: String) throws(APIProblem) -> [String]? {
    try optionalList(name)?.map { item throws(APIProblem) in
      guard case .string(let text) = item else { throw invalid(name, "is not a list of texts") }
      return text
    }
  }

  mutating func optionalList(_ name: String) throws(APIProblem) -> [JSONValue]? {
    switch value(name) {
    case nil: return nil
    case .array(let items): return items
    default: throw invalid(name, "is not a list")
    }
  }

  mutating func object(_ name: String) throws(APIProblem) -> JSONFields {
    try JSONFields(required(value(name), name), path: "\(path)\(name).")
  }

  func required<Value>(
    _ value: Value?, _ name: String, _ complaint: String = "is missing"
  ) throws(APIProblem) -> Value {
    guard let value else { throw invalid(name, complaint) }
    return value
  }

  // MARK: Refusing

  /// Refuses the fields that nobody asked for.
  func finish() throws(APIProblem) {
    for member in members where !read.contains(where: { member.isNamed($0) }) {
      throw invalid(Self.readable(member.name), "is not known here")
    }
  }

  /// - Parameter complaint: completes "The field … ".
  func invalid(_ name: String, _ complaint: String) -> APIProblem {
    Self.invalid(path + name, complaint)
  }

  private static func invalid(_ field: String?, _ complaint: String) -> APIProblem {
    let subject = field.map { "The field “\($0)”" } ?? "The body"
    return APIProblem(.fieldInvalid, "\(subject) \(complaint).", field: field)
  }

  /// Unknown names come from outside: only what looks like a name is repeated.
  private static func readable(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy {
      HTTPBytes.isAlphanumeric($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
    }
    return isPlain && !name.isEmpty && name.utf8.count <= longestName ? name : "?"
  }

  /// Bytes of a name that a refusal repeats.
  private static let longestName = 48
}
