import FoundationEssentials

/// A refusal outside of the envelope: `{"error":{"code":"...","message":"..."}}`.
package struct NodeRefusal: Error, Equatable, Sendable {
  /// The refusals that the protocol knows, and the one status that each comes with.
  package enum Code: String, Error, CaseIterable, Sendable {
    case staleTransportKey = "stale_transport_key"
    case unknownSession = "unknown_session"
    case busy
    case malformed
    case unsupportedVersion = "unsupported_version"
    case undecryptable
    case replayedRequest = "replayed_request"
    case tooLarge = "too_large"
    case sealedRequired = "sealed_required"

    package var status: Int {
      switch self {
      case .staleTransportKey, .unknownSession: 409
      case .busy: 503
      case .malformed, .unsupportedVersion, .undecryptable, .replayedRequest, .tooLarge: 400
      case .sealedRequired: 403
      }
    }
  }

  package let status: Int
  /// The code as the node wrote it: one that we do not know is kept, not guessed at.
  package let code: String
  /// In seconds, as the node asks for it; `nil` when it names none.
  package let retryAfter: Int?

  /// - Parameter retryAfter: for `busy`, in seconds.
  package init(_ code: Code, retryAfter: Int? = nil) {
    self.status = code.status
    self.code = code.rawValue
    self.retryAfter = retryAfter
  }

  /// Reads an answer that is not a 200; `nil` when it is no refusal of a node but somebody
  /// else's page.
  init?(head: CarrierReplyHead, body: [UInt8]) {
    guard let form = try? JSONDecoder().decode(Form.self, from: Data(body)) else { return nil }
    guard Self.isCode(form.error.code) else { return nil }
    status = head.status
    code = form.error.code
    retryAfter = head.retryAfter.flatMap(Self.seconds)
  }

  /// The code, where it comes with the status of the table. Only such a refusal is acted on.
  package var known: Code? {
    guard let code = Code(rawValue: code), code.status == status else { return nil }
    return code
  }

  /// The body of a refusal as a node writes it.
  package func body(message: String) -> [UInt8] {
    JSONText.object([
      (
        "error",
        JSONText.object([
          ("code", JSONText.string(code)), ("message", JSONText.string(message)),
        ])
      )
    ])
  }

  /// Whether an answer inside of the envelope says that the node's proxy guards the route itself.
  static func saysUnguarded(status: Int, body: [UInt8]) -> Bool {
    guard status == 403 else { return false }
    let form = try? JSONDecoder().decode(Form.self, from: Data(body))
    return form?.error.code == "sealed_route_unguarded"
  }

  private struct Form: Decodable {
    struct Detail: Decodable { let code: String }
    let error: Detail
  }

  // The code may be shown to a person and written to a journal, so it must look like one.
  private static func isCode(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "_")
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      }
  }

  /// `Retry-After` in seconds. A date is allowed by HTTP; a node that is busy for seconds does
  /// not send one.
  package static func seconds(_ text: String) -> Int? {
    guard (1...9).contains(text.utf8.count) else { return nil }
    guard text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else { return nil }
    return Int(text)
  }
}
