// Stand-ins with the names of MeroConsent's types, so that the interface compiles before they land.
// This file goes away on the day they do.

package struct ConsentError: Error, Equatable, Sendable {
  package enum Code: String, Sendable, CaseIterable {
    case requestInvalid = "CONSENT_REQUEST_INVALID"
    case returnToNotAllowed = "CONSENT_RETURN_TO_NOT_ALLOWED"
    case returnURLMalformed = "RETURN_URL_MALFORMED"
    case requestMismatch = "CONSENT_REQUEST_MISMATCH"
    case notDecided = "CONSENT_NOT_DECIDED"
    case replaced = "CONSENT_REPLACED"
    case expired = "CONSENT_EXPIRED"
    case cancelled = "CONSENT_CANCELLED"
    case codeMismatch = "CONSENT_CODE_MISMATCH"
    case pageNotTrusted = "CONSENT_PAGE_NOT_TRUSTED"
    case resultInvalid = "CONSENT_RESULT_INVALID"
    case nodeUntrusted = "NODE_UNTRUSTED"
    case nodeError = "NODE_ERROR"
    case nodeUnreachable = "NODE_UNREACHABLE"
    case configurationInvalid = "CONFIGURATION_INVALID"
    case stateUnavailable = "STATE_UNAVAILABLE"
    case sessionExpired = "SESSION_EXPIRED"
  }
  package let code: Code
  package let advice: String
  package let field: String?
}

package struct ConsentRequest: Sendable {}

package struct ConsentStarted: Sendable {}

package enum ConsentOutcome: Sendable { case awaited }

package enum NodeTrust: Sendable { case awaited }
