import Desktop
import EventLoop
import HTTP

/// One call of the local API, as far as it was read before its route answers.
struct APICall: Sendable {
  let request: HTTPRequest
  /// What the path has in the place of `{id}`; empty on routes without one.
  let id: String

  // MARK: Body

  /// The fields of the JSON body.
  ///
  /// - Throws: 415 for another type, 400 for what is no JSON, 422 for what is no object.
  func fields() throws(APIProblem) -> JSONFields {
    try requireJSONType()
    return try JSONFields(try Self.parse(request.body))
  }

  /// For calls that need no body: of nothing, or of an object that may have this field.
  func optionalActivationToken() throws(APIProblem) -> ActivationToken? {
    guard !request.body.isEmpty else { return nil }
    var fields = try fields()
    let token = try fields.optionalActivationToken()
    try fields.finish()
    return token
  }

  private static func parse(_ body: [UInt8]) throws(APIProblem) -> JSONValue {
    do {
      return try JSONReader.read(body)
    } catch {
      throw APIProblem(
        .jsonMalformed, "The body is not JSON: at byte \(error.offset), \(error.complaint).")
    }
  }

  private static let contentEncoding: HTTPFieldName = "Content-Encoding"

  private func requireJSONType() throws(APIProblem) {
    let types = request.headers.values(of: .contentType)
    let encodings = request.headers.values(of: Self.contentEncoding)
    guard types.count == 1, Self.isJSON(types[0]),
      encodings.allSatisfy({ $0.lowercased() == "identity" })
    else {
      throw APIProblem(
        .contentTypeUnsupported,
        "Send the body as it is, with the header Content-Type: application/json.")
    }
  }

  /// `application/json`, with no parameter but `charset=utf-8`.
  private static func isJSON(_ type: String) -> Bool {
    let parts = type.split(separator: ";", omittingEmptySubsequences: false)
      .map { $0.trimmingBlanks().lowercased() }
    return parts.first == "application/json"
      && parts.dropFirst().allSatisfy {
        ["charset=utf-8", "charset=\"utf-8\""].contains($0)
      }
  }

  // MARK: Query

  /// The parameters of the query, each of them one of `names` and given once.
  ///
  /// - Throws: 400 for broken escapes, 422 for a name that is not known or given twice.
  func parameters(_ names: Set<String>) throws(APIProblem) -> [String: String] {
    guard let pairs = FormQuery.parse(request.query ?? "") else {
      throw APIProblem(.requestMalformed, "The query has a broken escape.")
    }
    var result: [String: String] = [:]
    for pair in pairs {
      guard names.contains(pair.name) else {
        throw APIProblem(
          .fieldInvalid,
          "The query has a parameter that is not known here. Known are "
            + names.sorted().joined(separator: ", ") + ".")
      }
      guard result.updateValue(pair.value, forKey: pair.name) == nil else {
        throw APIProblem(
          .fieldInvalid, "The parameter \(pair.name) is given twice.", field: pair.name)
      }
    }
    return result
  }

  // MARK: Headers

  /// The only value of a header; `nil` without it.
  ///
  /// - Throws: 400 when it is there more than once.
  func single(_ name: HTTPFieldName) throws(APIProblem) -> String? {
    let values = request.headers.values(of: name)
    guard values.count <= 1 else {
      throw APIProblem(
        .requestMalformed, "The header \(name.text) is given twice.", field: name.text)
    }
    return values.first
  }
}

/// Calls the broker, and puts its refusal into HTTP's words.
@LoopActor func asking<Answer>(
  _ call: @LoopActor () throws(Problem) -> Answer
) throws(APIProblem) -> Answer {
  do {
    return try call()
  } catch {
    throw APIProblem(error)
  }
}

/// The same for calls that take their time.
@LoopActor func asking<Answer>(
  _ call: @LoopActor () async throws(Problem) -> Answer
) async throws(APIProblem) -> Answer {
  do {
    return try await call()
  } catch {
    throw APIProblem(error)
  }
}
