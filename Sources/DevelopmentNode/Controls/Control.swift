import EventLoop

/// One thing that tests and app developers may do to a running node, as `--help` lists it.
package struct Control: Sendable {
  package let method: String
  /// Below the node's base address.
  package let path: String
  /// The fields of its JSON body; each may be left out, and others are refused.
  package let fields: [String]
  package let about: String
  let run: @LoopActor @Sendable (DevelopmentNode, ControlBody) throws(ControlRefused) -> JSON
}

/// Why a control did nothing.
struct ControlRefused: Error {
  let status: Int
  let message: String

  init(_ message: String, status: Int = 422) {
    self.status = status
    self.message = message
  }

  init(_ refused: ConsentBook.Refused) {
    switch refused {
    case .unknown: self.init("There is no such request.", status: 404)
    case .replaced: self.init("The request was replaced.", status: 410)
    case .expired: self.init("The request's time is up.", status: 410)
    case .decided: self.init("The request is decided already.", status: 409)
    }
  }
}

/// The JSON body of a control, read field by field.
struct ControlBody {
  let members: [String: JSON]

  /// An empty body is an object without members.
  init(_ bytes: [UInt8], fields: [String]) throws(ControlRefused) {
    guard !bytes.isEmpty else {
      members = [:]
      return
    }
    guard case .object(let members)? = try? JSON(parsing: bytes) else {
      throw ControlRefused("The body is no JSON object.", status: 400)
    }
    if let unknown = members.keys.first(where: { !fields.contains($0) }) {
      throw ControlRefused("“\(unknown)” is not one of: \(fields.joined(separator: ", "))")
    }
    self.members = members
  }

  func text(_ name: String) throws(ControlRefused) -> String? {
    guard let value = members[name] else { return nil }
    guard let text = value.string else { throw ControlRefused("“\(name)” is not a text") }
    return text
  }

  func flag(_ name: String) throws(ControlRefused) -> Bool? {
    guard let value = members[name] else { return nil }
    guard let flag = value.bool else { throw ControlRefused("“\(name)” is not true or false") }
    return flag
  }

  func number(_ name: String, in range: ClosedRange<Int>) throws(ControlRefused) -> Int? {
    guard let value = members[name] else { return nil }
    guard let number = value.number, range.contains(number) else {
      throw ControlRefused(
        "“\(name)” is not a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, of type: Choice.Type
  ) throws(ControlRefused) -> Choice? {
    guard let text = try text(name) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let names = type.allCases.map(\.rawValue).joined(separator: ", ")
      throw ControlRefused("“\(name)” is not one of: \(names)")
    }
    return choice
  }

  func callback(_ name: String) throws(ControlRefused) -> Callback? {
    guard let text = try text(name) else { return nil }
    guard let callback = Callback(text) else {
      throw ControlRefused("“\(name)” is neither http on loopback nor an app's own scheme")
    }
    return callback
  }
}

extension DevelopmentNode {
  /// Answers `/dev` and what is below it.
  ///
  /// Programs only: a request that a web page made carries `Origin`, and is refused.
  func control(_ request: ControlRequest) -> APIAnswer {
    guard request.origin == nil else {
      return .refusal(403, "foreign_origin", "Controls are not for web pages.")
    }
    let named = ControlTable.all.filter { $0.path == request.path }
    guard !named.isEmpty else {
      return .refusal(404, "not_found", "There is no such control; --help lists them.")
    }
    guard let control = named.first(where: { $0.method == request.method }) else {
      return .methodNotAllowed(named.map(\.method).joined(separator: ", "))
    }
    do {
      let body = try ControlBody(request.body, fields: control.fields)
      return .json(try control.run(self, body))
    } catch {
      return .refusal(error.status, "refused", error.message)
    }
  }
}

struct ControlRequest {
  let method: String
  let path: String
  let origin: String?
  let body: [UInt8]
}
