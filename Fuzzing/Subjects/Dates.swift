import Crypto
import FoundationEssentials
import Glibc
import HTTP
import MeroConsent

extension Subject {
  /// Four readers of dates, and the C library's calendar.
  static let dates = Subject(
    name: "dates", longest: 64,
    words: [
      "2030-01-01T00:00:00Z", "1994-11-06T08:49:37.123+01:00", "Sun, 06 Nov 1994 08:49:37 GMT",
      "940101000000Z", "20240229235960Z", "-02-29T", ":60Z", "+23:59",
    ]
  ) { bytes throws(Finding) in
    let text = String(decoding: bytes, as: UTF8.self)
    try checkRFC3339(text)
    try checkHTTPDate(text)
    if let seconds = UnixTime.iso8601(bytes) {
      try checkCalendar(seconds, bytes, year: 0..<4, parts: [5, 8, 11, 14, 17])
      let other = RFC3339.date(text)?.timeIntervalSince1970
      // The year 0 is one that RFC 3339 dates of ours do not have.
      try require(other == Double(seconds) || text.hasPrefix("0000"), "RFC 3339 differs")
    } else if text.utf8.count == 20, text.hasSuffix("Z"), text.utf8.dropFirst(10).first == 0x54,
      let date = RFC3339.date(text)
    {
      // Only a leap second is one's and not the other's.
      try require(text.hasSuffix(":60Z"), "a date that only RFC 3339 has: \(date)")
    }
    if let seconds = UnixTime.generalizedTime(bytes) {
      try checkCalendar(seconds, bytes, year: 0..<4, parts: [4, 6, 8, 10, 12])
    }
    if let seconds = UnixTime.utcTime(bytes) {
      let century = bytes[0] < UInt8(ascii: "5") ? "20" : "19"
      try require(
        UnixTime.generalizedTime(Array(century.utf8) + bytes) == seconds, "two centuries")
    }
    try checkMoment(bytes)
  }

  private static func checkRFC3339(_ text: String) throws(Finding) {
    guard let date = RFC3339.date(text) else { return }
    let written = RFC3339.text(date)
    guard let again = RFC3339.date(written) else {
      // An offset may lead out of the years that can be written; then the nearest is.
      let seconds = date.timeIntervalSince1970
      throw Finding(description: "\(written) cannot be read again, of \(seconds)")
    }
    let difference = abs(again.timeIntervalSince(date))
    let isInside = (-62_135_596_800...253_402_300_799).contains(date.timeIntervalSince1970)
    try require(difference < 0.002 || !isInside, "\(written) is another moment than \(text)")
    try require(RFC3339.text(again) == written || difference > 0, "written twice, it differs")
  }

  private static func checkHTTPDate(_ text: String) throws(Finding) {
    guard let date = MeroConsent.HTTPDate.date(text) else { return }
    let seconds = Int(date.timeIntervalSince1970)
    guard seconds >= 0, seconds < 253_402_300_800 else { return }
    let written = HTTP.HTTPDate.text(secondsSince1970: seconds)
    // The weekday is not believed, and a leap second is the next day's first.
    try require(
      written.dropFirst(3) == text.dropFirst(3) || text.hasSuffix(":60 GMT"),
      "\(text) is written \(written)")
  }

  /// The input as a moment: what one writes the others read.
  private static func checkMoment(_ bytes: [UInt8]) throws(Finding) {
    let number = bytes.prefix(6).reduce(0) { $0 << 8 | Int($1) } % 253_402_300_800
    let date = Date(timeIntervalSince1970: Double(number))
    let text = RFC3339.text(date)
    try require(RFC3339.date(text) == date, "\(text) does not come back")
    try require(UnixTime.iso8601(Array(text.utf8)) == Int64(number), "\(text) is read otherwise")
    let field = HTTP.HTTPDate.text(secondsSince1970: number)
    try require(MeroConsent.HTTPDate.date(field) == date, "\(field) does not come back")
  }

  /// - Parameter parts: where month, day, hour, minute and second begin.
  private static func checkCalendar(
    _ seconds: Int64, _ bytes: [UInt8], year: Range<Int>, parts: [Int]
  ) throws(Finding) {
    func number(_ range: Range<Int>) -> CInt {
      bytes[range].reduce(0) { $0 * 10 + CInt($1) - 48 }
    }
    var fields = tm()
    fields.tm_year = number(year) - 1900
    fields.tm_mon = number(parts[0]..<parts[0] + 2) - 1
    fields.tm_mday = number(parts[1]..<parts[1] + 2)
    fields.tm_hour = number(parts[2]..<parts[2] + 2)
    fields.tm_min = number(parts[3]..<parts[3] + 2)
    fields.tm_sec = number(parts[4]..<parts[4] + 2)
    try require(Int64(timegm(&fields)) == seconds, "the C library has another moment")
  }
}
