/// The three paths of the callback. Nothing is decoded or normalized: `/return/` is no return.
package enum CallbackPath: Equatable {
  /// With the bytes of the ticket as they are in the path; `nil` on the bare path.
  case `return`(ticket: String?)
  case done(ticket: String)

  package init?(_ path: String) {
    let bytes = path.utf8
    if bytes.elementsEqual("/return".utf8) {
      self = .return(ticket: nil)
    } else if let ticket = Self.segment(of: path, after: "/return/") {
      self = .return(ticket: ticket)
    } else if let ticket = Self.segment(of: path, after: "/done/") {
      self = .done(ticket: ticket)
    } else {
      return nil
    }
  }

  /// What follows `prefix`, where it is one segment and not empty.
  private static func segment(of path: String, after prefix: String) -> String? {
    guard path.utf8.starts(with: prefix.utf8) else { return nil }
    let rest = path.utf8.dropFirst(prefix.utf8.count)
    return rest.isEmpty || rest.contains(UInt8(ascii: "/")) ? nil : String(Substring(rest))
  }
}
