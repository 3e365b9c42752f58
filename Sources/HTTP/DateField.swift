/// The `Date` field as it goes over the wire, made once a second.
struct DateField {
  private var second = -1
  private var field: [UInt8] = []

  /// - Parameter now: in seconds since 1970.
  mutating func bytes(at now: Int) -> [UInt8] {
    if now != second {
      second = now
      field = Array("Date: \(HTTPDate.text(secondsSince1970: max(now, 0)))\r\n".utf8)
    }
    return field
  }
}
