import FoundationEssentials
import HTTP
import MeroConsent

/// What the daemon said.
struct DaemonAnswer: Sendable {
  let status: Int
  let headers: HTTPHeaders
  let body: [UInt8]

  /// The body as JSON.
  ///
  /// - Throws: the problem, for another status; `DAEMON_ANSWER_INVALID`.
  func decode<Value: Decodable>(
    _ type: Value.Type, for expected: Int = 200
  ) throws(BrokerError) -> Value {
    guard status == expected else { throw problem }
    return try Self.json(type, from: body)
  }

  func request() throws(BrokerError) -> BrokerRequest {
    let answer = try decode(RequestAnswer.self, for: status == 201 ? 201 : 200)
    return answer.request(version: headers[.etag] ?? "")
  }

  static func json<Value: Decodable>(
    _ type: Value.Type, from body: [UInt8]
  ) throws(BrokerError) -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let text = try decoder.singleValueContainer().decode(String.self)
      guard let date = RFC3339.date(text) else { throw BrokerError.answerInvalid("a date is none") }
      return date
    }
    do {
      return try decoder.decode(type, from: Data(body))
    } catch let error as BrokerError {
      throw error
    } catch {
      // What the decoder says may repeat a value, and some are secret.
      throw .answerInvalid("it is not the JSON that this call is answered with")
    }
  }

  /// The refusal that this answer is.
  var problem: BrokerError {
    let retryAfter = headers[.retryAfter].flatMap(Self.seconds)
    guard status >= 400, let document = try? Self.json(ProblemDocument.self, from: body) else {
      return .answerInvalid("its status is \(status)")
    }
    return BrokerError(
      BrokerError.Code(rawValue: document.code), document.detail, status: status,
      requestId: document.requestId, field: document.field, nodeStatus: document.nodeStatus,
      retryAfter: retryAfter)
  }

  private static func seconds(_ text: String) -> Int? {
    guard (1...6).contains(text.utf8.count), text.utf8.allSatisfy(HTTPBytes.isDigit) else {
      return nil
    }
    return Int(text)
  }
}
