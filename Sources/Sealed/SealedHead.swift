import FoundationEssentials

/// One header field inside an envelope.
package struct SealedField: Hashable, Sendable {
  package let name: String
  package let value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Fields of one hop, which never enter an envelope: what is inside is not sent over one.
  private static let hopNames: Set<String> = [
    "connection", "content-length", "host", "transfer-encoding", "upgrade",
  ]

  var isHop: Bool { Self.hopNames.contains(name.lowercased()) }

  /// A token (RFC 9110, section 5.6.2) with a value that has no control character but the tab.
  var isWellFormed: Bool {
    !name.isEmpty && name.utf8.allSatisfy(Self.isTokenByte)
      && value.utf8.allSatisfy { byte in (byte >= 0x20 && byte != 0x7f) || byte == 0x09 }
  }

  static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}

// A value may be a credential.
extension SealedField: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "\(name): <redacted>" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The head of a request inside its envelope.
package struct SealedRequestHead: Equatable, Sendable {
  package var method: String
  package var path: String
  package var fields: [SealedField]

  package init(method: String, path: String, fields: [SealedField]) {
    self.method = method
    self.path = path
    self.fields = fields
  }

  /// `{"method":"POST","path":"/...","headers":[["name","value"],...]}`
  func json() -> [UInt8] {
    JSONText.object([
      ("method", JSONText.string(method)), ("path", JSONText.string(path)),
      ("headers", fields.filter { !$0.isHop }.json()),
    ])
  }

  /// `nil` when it is anything else. Hop fields are left out, whoever put them in.
  init?(json: ArraySlice<UInt8>) {
    struct Form: Decodable {
      let method: String
      let path: String
      let headers: [[String]]
    }
    guard let form = try? JSONDecoder().decode(Form.self, from: Data(json)),
      let fields = [SealedField](pairs: form.headers)
    else { return nil }
    self.init(method: form.method, path: form.path, fields: fields)
  }
}

/// The head of an answer, in its first frame.
package struct SealedResponseHead: Equatable, Sendable {
  package var status: Int
  package var fields: [SealedField]

  package init(status: Int, fields: [SealedField]) {
    self.status = status
    self.fields = fields
  }

  /// `{"status":200,"headers":[["name","value"],...]}`
  package func json() -> [UInt8] {
    JSONText.object([
      ("status", Array(String(status).utf8)), ("headers", fields.filter { !$0.isHop }.json()),
    ])
  }

  /// `nil` when it is anything else, or the status is none of a final answer.
  init?(json: ArraySlice<UInt8>) {
    struct Form: Decodable {
      let status: Int
      let headers: [[String]]
    }
    guard let form = try? JSONDecoder().decode(Form.self, from: Data(json)),
      (200...599).contains(form.status), let fields = [SealedField](pairs: form.headers)
    else { return nil }
    self.init(status: form.status, fields: fields)
  }
}

extension [SealedField] {
  fileprivate func json() -> [UInt8] {
    JSONText.array(
      map { field in JSONText.array([JSONText.string(field.name), JSONText.string(field.value)]) })
  }

  /// `nil` when one is not a pair, or not well formed.
  fileprivate init?(pairs: [[String]]) {
    var fields: [SealedField] = []
    for pair in pairs {
      guard pair.count == 2 else { return nil }
      let field = SealedField(pair[0], pair[1])
      guard field.isWellFormed else { return nil }
      if !field.isHop { fields.append(field) }
    }
    self = fields
  }
}
