/// The `Date` field as it goes over the wire, made once a second.
struct DateField {
  private(set) var second: Int?
  /// With its line end.
  private(set) var field: [UInt8] = []

  /// - Parameter now: in seconds since 1970.
  mutating func set(to now: Int) {
    guard now != second else { return }
    second = now
    field = Array("Date: \(HTTPDate.text(secondsSince1970: max(now, 0)))\r\n".utf8)
  }
}
