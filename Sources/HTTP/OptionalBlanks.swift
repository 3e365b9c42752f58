extension Substring {
  /// Without the spaces and tabs around it (OWS of RFC 9110).
  package func trimmingBlanks() -> Substring {
    var rest = self
    while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
    while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
    return rest
  }
}
