/// The three paths of the callback. Nothing is decoded or normalized: `/return/` is no return.
package enum CallbackPath: Equatable {
  /// With the bytes of the ticket as they are in the path; `nil` on the bare path.
  case `return`(ticket: String?)
  case done(ticket: String)

  package init?(_ path: String) {
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    guard path.hasPrefix("/"), segments.allSatisfy({ !$0.isEmpty }) else { return nil }
    let ticket = segments.count == 2 ? segments.last.map(String.init) : nil
    switch (segments.first, ticket) {
    case ("return", nil) where segments.count == 1: self = .return(ticket: nil)
    case ("return", let ticket?): self = .return(ticket: ticket)
    case ("done", let ticket?): self = .done(ticket: ticket)
    default: return nil
    }
  }
}
