package import Crypto

/// A request for the node's eyes alone.
package struct SealedRequest: Sendable {
  /// In capitals, as HTTP has it.
  package var method: String
  /// Relative to the node's base URL, with its query if it has one; begins with a slash.
  package var path: String
  /// Without `authorization`; hop fields are left out of the envelope.
  package var fields: [SealedField]
  /// Sent as `authorization: Bearer ...` inside of the envelope, and nowhere else.
  package var bearer: Redacted<String>?
  package var body: [UInt8]
  /// The longest body of an answer that is taken, in bytes.
  package var responseLimit: Int

  package init(
    method: String, path: String, fields: [SealedField] = [], bearer: Redacted<String>? = nil,
    body: [UInt8] = [], responseLimit: Int = SealedLimits.responseBody
  ) {
    self.method = method
    self.path = path
    self.fields = fields
    self.bearer = bearer
    self.body = body
    self.responseLimit = responseLimit
  }

  /// What goes into the envelope.
  ///
  /// - Throws: `SealedError.invalidRequest`, before anything is sent.
  func head() throws(SealedError) -> SealedRequestHead {
    guard !method.isEmpty, method.utf8.allSatisfy(SealedField.isTokenByte) else {
      throw .invalidRequest(.method)
    }
    guard path.utf8.first == UInt8(ascii: "/"), path.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
    else { throw .invalidRequest(.path) }
    var fields = fields
    if let bearer { fields.append(SealedField("authorization", "Bearer \(bearer.revealed)")) }
    guard fields.allSatisfy(\.isWellFormed) else { throw .invalidRequest(.field) }
    // A generous estimate of what JSON adds; the exact size matters to nobody.
    let size = fields.reduce(body.count + path.utf8.count) { sum, field in
      sum + 6 * (field.name.utf8.count + field.value.utf8.count)
    }
    guard size <= SealedLimits.request - 1024 else { throw .invalidRequest(.tooLarge) }
    return SealedRequestHead(method: method, path: path, fields: fields)
  }
}

/// An answer that was whole, and sealed by the node that the key belongs to.
package struct SealedResponse: Sendable {
  package let status: Int
  /// Hop fields are left out.
  package let fields: [SealedField]
  package let body: [UInt8]
  /// The `date` of the HTTP answer around the envelope. Not sealed: good for correcting a clock
  /// by, not for more.
  package let date: String?

  package init(status: Int, fields: [SealedField] = [], body: [UInt8] = [], date: String? = nil) {
    self.status = status
    self.fields = fields
    self.body = body
    self.date = date
  }

  /// The value of the first field of that name, in whatever case.
  package func first(_ name: String) -> String? {
    let name = name.lowercased()
    return fields.first { $0.name.lowercased() == name }?.value
  }
}

// Paths name requests, fields and bodies hold tokens: none of it is shown by accident.
extension SealedRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "\(method) <sealed>" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension SealedResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "\(status) <sealed>" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
