/// A refusal that an app may act on. Two errors are equal when their codes are.
///
/// Nothing in it is a secret: the sentence is the library's own, never a node's or an app's text.
public struct ConsentError: Error, Sendable, Equatable {
  /// Raw values are the protocol: add, never rename, never reuse.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The request itself cannot be sent; `field` says why.
    case requestInvalid = "CONSENT_REQUEST_INVALID"
    /// `returnTo` is not an https URL on an origin of the app's package.
    case returnToNotAllowed = "CONSENT_RETURN_TO_NOT_ALLOWED"
    /// The node's code is not the page's, or is none that a person can compare.
    case codeMismatch = "CONSENT_CODE_MISMATCH"
    /// The page is not the node's own, or not this request's.
    case pageNotTrusted = "CONSENT_PAGE_NOT_TRUSTED"
    /// The node's answer about a result breaks the protocol.
    case resultInvalid = "CONSENT_RESULT_INVALID"
    /// The return names another request.
    case requestMismatch = "CONSENT_REQUEST_MISMATCH"
    /// The person came back, and the node has no decision on this request.
    case notDecided = "CONSENT_NOT_DECIDED"
    /// A newer request of the same account took this one's place.
    case replaced = "CONSENT_REPLACED"
    /// Nobody decided in time.
    case expired = "CONSENT_EXPIRED"
    /// The app stopped waiting.
    case cancelled = "CONSENT_CANCELLED"
    /// The return is no URL that can be read.
    case returnURLMalformed = "RETURN_URL_MALFORMED"
    /// No answer came from the node.
    case nodeUnreachable = "NODE_UNREACHABLE"
    /// Nothing shows that the node is the one that it has to be.
    case nodeUntrusted = "NODE_UNTRUSTED"
    /// The node answered with something else; `nodeStatus` where it was a status.
    case nodeError = "NODE_ERROR"
    /// The node does not renew the session's tokens.
    case sessionExpired = "SESSION_EXPIRED"
    /// There is no browser that could be opened from here.
    case browserUnavailable = "BROWSER_UNAVAILABLE"
    /// The daemon's configuration, or an app's own callback, cannot be used.
    case configurationInvalid = "CONFIGURATION_INVALID"
    /// The daemon's record of requests cannot be used.
    case stateUnavailable = "STATE_UNAVAILABLE"
  }

  public let code: Code
  /// One or two sentences for a person that say what to do next. May cross the socket.
  public let advice: String
  /// The field of the request that is refused: `teams[2].role`.
  public let field: String?
  /// The HTTP status of the node's answer, where that is what is wrong.
  public let nodeStatus: Int?
  /// The request that waits for a decision all the same, where only its page could not be opened.
  public let started: ConsentStarted?
  /// How long the node asks not to be asked again, at most `longestRetryAfter`.
  package var retryAfter: Duration?
  /// A node that asks for more is asked again after this.
  package static let longestRetryAfter: Duration = .seconds(60)
  /// For the journal only; never sent, never printed, never compared.
  package let cause: (any Error)?

  /// - Parameter advice: `nil` for the code's own sentence.
  package init(
    _ code: Code, advice: String? = nil, field: String? = nil, nodeStatus: Int? = nil,
    started: ConsentStarted? = nil, cause: (any Error)? = nil
  ) {
    self.code = code
    self.advice = advice ?? code.advice
    self.field = field
    self.nodeStatus = nodeStatus
    self.started = started
    self.cause = cause
  }

  public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

extension ConsentError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `CONSENT_REPLACED: …`, what to do next.
  public var description: String { "\(code.rawValue): \(advice)" }
  public var debugDescription: String { description }

  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "code": code.rawValue, "advice": advice, "field": field as Any,
        "nodeStatus": nodeStatus as Any,
      ], displayStyle: .struct)
  }
}

extension ConsentError {
  /// A field that cannot be sent. `complaint` completes "The field … ".
  package static func requestInvalid(_ field: String?, _ complaint: String) -> ConsentError {
    let name = field.map(readableFieldName)
    let subject = name.map { "The field “\($0)”" } ?? "The request"
    return ConsentError(
      .requestInvalid, advice: "\(subject) \(complaint). Correct it and ask again.", field: name)
  }

  package static func returnToNotAllowed(_ complaint: String) -> ConsentError {
    ConsentError(
      .returnToNotAllowed,
      advice: "The page cannot send the person to this returnTo: it \(complaint). "
        + "Use an https address on one of the app package's own origins.",
      field: ConsentField.returnTo.rawValue)
  }

  /// A node's answer that is not what was asked for. `complaint` is a whole sentence.
  package static func nodeError(
    _ complaint: String, status: Int? = nil, cause: (any Error)? = nil
  ) -> ConsentError {
    ConsentError(
      .nodeError,
      advice: "\(complaint) Try again; if it stays so, tell whoever runs the node.",
      nodeStatus: status, cause: cause)
  }

  package static func resultInvalid(_ complaint: String) -> ConsentError {
    ConsentError(
      .resultInvalid,
      advice: "The node's answer about this request cannot be used: \(complaint). "
        + "Nothing was concluded from it. Check again later.")
  }

  /// Unknown names come from outside: only what looks like a name is repeated.
  private static func readableFieldName(_ name: String) -> String {
    let plain = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
        UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    return plain && name.utf8.count <= longestFieldName ? name : "?"
  }

  /// Bytes of a field's path that an error repeats: `teams[255].capabilities` fits twice.
  private static let longestFieldName = 48
}
