import HTTP
import MeroConsent

/// The fields of a query or of a form's body (application/x-www-form-urlencoded).
package struct Query: Sendable, Equatable {
  /// As they came, decoded once.
  package let fields: [(name: String, value: String)]

  /// No fields.
  package init() { fields = [] }

  /// `nil` for a broken escape or what is no UTF-8.
  package init?(_ raw: some Collection<UInt8>) {
    guard let pairs = try? FormQuery.pairs(in: raw) else { return nil }
    fields = pairs
  }

  /// The first field of that name.
  package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

  package static func == (left: Self, right: Self) -> Bool {
    left.fields.elementsEqual(right.fields, by: ==)
  }
}

extension String {
  /// This address, which has no fragment, with more in its query.
  package func adding(query: [(name: String, value: String)]) -> String {
    var address = self
    for (name, value) in query {
      address += address.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
      address += PercentCoding.encode(name) + "=" + PercentCoding.encode(value)
    }
    return address
  }
}
