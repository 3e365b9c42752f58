extension ConsentError.Code {
  /// What to do next, where the error itself has nothing more exact to say.
  package var advice: String {
    switch self {
    case .requestInvalid:
      "The request cannot be sent as it is. Correct it and ask again."
    case .returnToNotAllowed:
      "The page cannot send the person there. Use an https address on one of the app package's "
        + "own origins."
    case .codeMismatch:
      "The confirmation code is not the one of the page. Do not approve anything there; ask again."
    case .pageNotTrusted:
      "The consent page is not the node's own page for this request. Do not open it; ask again, "
        + "and check the node's address."
    case .resultInvalid:
      "The node's answer about this request cannot be used. Nothing was concluded from it; check "
        + "again later."
    case .requestMismatch:
      "The page sent the person back for another request. Nothing was concluded from it; go back "
        + "to the page of this request."
    case .notDecided:
      "The node has no decision on this request yet. If you approved something, it was another "
        + "request: compare the code, and decide on the page that shows this one's."
    case .replaced:
      "A newer request of this account took the place of this one. Ask again."
    case .expired:
      "Nobody decided in time. Ask again."
    case .cancelled:
      "The app stopped waiting for this request. Ask again if it is still wanted."
    case .returnURLMalformed:
      "This return address cannot be read, so it confirms nothing. Go back to the app; the "
        + "decision is found there if there is one."
    case .nodeUnreachable:
      "The node does not answer. Check the connection and the node's address, then try again."
    case .nodeUntrusted:
      "Nothing shows that this is the right node, so nothing was sent to it. Configure its "
        + "transport key or its measurements."
    case .nodeError:
      "The node answered with an error. Try again; if it stays so, tell whoever runs the node."
    case .sessionExpired:
      "The session with the node has ended. Sign in to the app again."
    case .browserUnavailable:
      "No browser can be opened from here. Open the page's link yourself and compare the code."
    case .configurationInvalid:
      "The service is not configured correctly. Run `mero-consentd --check-config` and mend what "
        + "it names."
    case .stateUnavailable:
      "The service cannot use its record of requests. See its log for the reason."
    }
  }

  /// A short name of the error, for the `title` of a problem document.
  package var title: String {
    switch self {
    case .requestInvalid: "The request is not valid"
    case .returnToNotAllowed: "The return address is not allowed"
    case .codeMismatch: "The code is not the page's"
    case .pageNotTrusted: "The consent page is not the node's"
    case .resultInvalid: "The node's result is not valid"
    case .requestMismatch: "The return is for another request"
    case .notDecided: "The request is not decided"
    case .replaced: "The request was replaced"
    case .expired: "The request expired"
    case .cancelled: "The request was cancelled"
    case .returnURLMalformed: "The return address cannot be read"
    case .nodeUnreachable: "The node cannot be reached"
    case .nodeUntrusted: "The node is not trusted"
    case .nodeError: "The node answered with an error"
    case .sessionExpired: "The session has ended"
    case .browserUnavailable: "No browser can be opened"
    case .configurationInvalid: "The configuration is not valid"
    case .stateUnavailable: "The record of requests is not available"
    }
  }

  /// The status of the local API's answer.
  ///
  /// No `default`: a new code does not compile until somebody has chosen its status.
  package var httpStatus: Int {
    switch self {
    case .requestInvalid, .returnToNotAllowed, .returnURLMalformed: 422
    case .requestMismatch, .notDecided: 409
    case .replaced, .expired, .cancelled: 410
    case .codeMismatch, .pageNotTrusted, .resultInvalid, .nodeUntrusted, .nodeError: 502
    case .nodeUnreachable: 504
    case .configurationInvalid, .stateUnavailable, .browserUnavailable: 503
    case .sessionExpired: 403
    }
  }
}
