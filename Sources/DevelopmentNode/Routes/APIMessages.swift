/// A request to the node's API, as it comes out of an envelope.
package struct APIRequest: Sendable, Equatable {
  package var method: String
  /// Relative to the node's base address.
  package var path: String
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]

  package init(
    method: String, path: String, headers: [(name: String, value: String)] = [],
    body: [UInt8] = []
  ) {
    self.method = method
    self.path = path
    self.headers = headers
    self.body = body
  }

  /// The first field of this lower-case name.
  package func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name }?.value
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.method == right.method && left.path == right.path && left.body == right.body
      && left.headers.elementsEqual(right.headers, by: ==)
  }
}

/// An answer of the node's API, before it goes into an envelope or out in the clear.
package struct APIAnswer: Sendable, Equatable {
  package var status: Int
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]

  package init(
    status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []
  ) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  package static func json(
    _ value: JSON, status: Int = 200, headers: [(name: String, value: String)] = []
  ) -> APIAnswer {
    APIAnswer(
      status: status, headers: [("content-type", "application/json")] + headers,
      body: value.bytes)
  }

  /// A refusal, in the shape that all of the node's refusals have.
  package static func refusal(
    _ status: Int, _ code: String, _ message: String,
    headers: [(name: String, value: String)] = []
  ) -> APIAnswer {
    json(
      ["error": ["code": .string(code), "message": .string(message)]], status: status,
      headers: headers)
  }

  package static func html(_ page: String, status: Int = 200) -> APIAnswer {
    APIAnswer(
      status: status, headers: [("content-type", "text/html; charset=utf-8")],
      body: Array(page.utf8))
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.status == right.status && left.body == right.body
      && left.headers.elementsEqual(right.headers, by: ==)
  }
}
