/// What a page of the callback is about.
package enum PageTopic: Hashable, Sendable {
  /// What became of a return, as the node told it.
  case verdict(PageState)
  // What was wrong with the browser's request itself.
  case malformed
  case refused
  case anotherUser
  case notFound
  case limited

  package static let all: [PageTopic] =
    PageState.allCases.map { .verdict($0) }
    + [.malformed, .refused, .anotherUser, .notFound, .limited]
}

extension PageTopic {
  /// The page's `data-state`.
  package var name: String {
    switch self {
    case .verdict(let state): state.rawValue
    case .malformed: "malformed"
    case .refused: "refused"
    case .anotherUser: "another-user"
    case .notFound: "not-found"
    case .limited: "limited"
    }
  }

  /// How the page's mark looks. It repeats the heading and never stands alone.
  var mark: PageMark {
    switch self {
    case .verdict(.approved): .check
    case .verdict(.declined), .verdict(.cancelled): .cross
    case .verdict(.checking): .spinner
    case .verdict(.notDecided), .verdict(.mismatch), .verdict(.replaced), .verdict(.expired),
      .verdict(.notConfirmed), .verdict(.unknown), .malformed, .refused, .anotherUser,
      .notFound, .limited:
      .attention
    }
  }
}

extension PageState {
  /// The status of the answer that shows this verdict. Only what the node confirmed, or is being
  /// asked, is a success.
  package var status: Int {
    switch self {
    case .checking, .approved, .declined: 200
    case .unknown: 404
    case .notDecided, .mismatch: 409
    case .replaced, .expired, .cancelled: 410
    case .notConfirmed: 502
    }
  }
}

/// The drawing above a page's heading: shapes of the style sheet, hidden from screen readers.
enum PageMark: String {
  case check, cross, spinner, attention
}
