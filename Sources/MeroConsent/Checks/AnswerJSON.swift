import FoundationEssentials

/// JSON of a node, and JSON to one.
enum AnswerJSON {
  /// Unwraps `{"data": …}`.
  ///
  /// - Throws: `NODE_ERROR` naming the field that is missing or unreadable, never its value.
  static func decode<Answer: Decodable>(
    _ type: Answer.Type, from body: [UInt8]
  ) throws(ConsentError) -> Answer {
    do {
      return try JSONDecoder().decode(MaybeWrapped<Answer>.self, from: Data(body)).answer
    } catch let error as DecodingError {
      throw .nodeError(complaint(error))
    } catch {
      throw .nodeError("The node's answer cannot be read.")
    }
  }

  /// Compact, keys sorted, slashes as they are.
  static func encode(_ value: some Encodable) throws(ConsentError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return Array(try encoder.encode(value))
    } catch {
      throw .requestInvalid(nil, "cannot be written as JSON")
    }
  }

  private static func complaint(_ error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, _): "The node's answer has no “\(key.stringValue)”."
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      if let key = context.codingPath.last?.stringValue {
        "The node's answer has a “\(key)” that cannot be read."
      } else {
        "The node's answer is not the JSON that was asked for."
      }
    @unknown default: "The node's answer cannot be read."
    }
  }
}
