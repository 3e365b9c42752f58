/// Dates as seconds since 1970 (UTC, no leap seconds), read strictly and without a calendar
/// library: the forms that X.509 and Intel's documents use are fixed ones.
package enum UnixTime {
  /// `YYYY-MM-DDTHH:MM:SSZ`, and no other form.
  package static func iso8601(_ text: some Collection<UInt8>) -> Int64? {
    let bytes = Array(text)
    guard bytes.count == 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
      bytes[16] == UInt8(ascii: ":"), bytes[19] == UInt8(ascii: "Z")
    else { return nil }
    return seconds(
      year: number(bytes[0..<4]), month: number(bytes[5..<7]), day: number(bytes[8..<10]),
      hour: number(bytes[11..<13]), minute: number(bytes[14..<16]), second: number(bytes[17..<19]))
  }

  /// `YYMMDDHHMMSSZ` (RFC 5280, section 4.1.2.5.1): years 50 to 99 are of the last century.
  package static func utcTime(_ text: some Collection<UInt8>) -> Int64? {
    let bytes = Array(text)
    guard bytes.count == 13, bytes[12] == UInt8(ascii: "Z"), let year = number(bytes[0..<2]) else {
      return nil
    }
    return monthToSecond(bytes[2..<12], year: year < 50 ? 2000 + year : 1900 + year)
  }

  /// `YYYYMMDDHHMMSSZ` (RFC 5280, section 4.1.2.5.2).
  package static func generalizedTime(_ text: some Collection<UInt8>) -> Int64? {
    let bytes = Array(text)
    guard bytes.count == 15, bytes[14] == UInt8(ascii: "Z") else { return nil }
    return monthToSecond(bytes[4..<14], year: number(bytes[0..<4]))
  }

  private static func monthToSecond(_ digits: ArraySlice<UInt8>, year: Int?) -> Int64? {
    let start = digits.startIndex
    func pair(_ index: Int) -> Int? { number(digits[start + 2 * index..<start + 2 * index + 2]) }
    return seconds(
      year: year, month: pair(0), day: pair(1), hour: pair(2), minute: pair(3), second: pair(4))
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      value = value * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return value
  }

  private static func seconds(
    year: Int?, month: Int?, day: Int?, hour: Int?, minute: Int?, second: Int?
  ) -> Int64? {
    guard let year, let month, let day, let hour, let minute, let second,
      (1...12).contains(month), (1...daysIn(month, of: year)).contains(day),
      hour < 24, minute < 60, second < 60
    else { return nil }
    // Days before 1 March of a year that begins in March: leap days come last.
    let shifted = month > 2 ? year : year - 1
    let leapDays = floorDivide(shifted, 4) - floorDivide(shifted, 100) + floorDivide(shifted, 400)
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let days = shifted * 365 + leapDays + dayOfYear - 719_468
    return Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
  }

  private static func daysIn(_ month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Rounds down, also for the year before 0.
  private static func floorDivide(_ value: Int, _ divisor: Int) -> Int {
    value >= 0 ? value / divisor : (value - divisor + 1) / divisor
  }
}
