/// A date and a time of day in UTC, checked against the calendar, as RFC 3339 and HTTP write it.
///
/// Foundation's formatter either refuses fractions or demands them, so the texts are read here.
struct CivilTime {
  var year: Int
  var month: Int
  var day: Int
  var hour: Int
  var minute: Int
  var second: Int

  /// Seconds since 1970; `nil` for a day that is not in the calendar or a time not on the clock.
  /// A leap second (23:59:60) is the first second of the next day.
  var unixSeconds: Int? {
    guard (1...9999).contains(year), (1...12).contains(month),
      (1...Self.days(inMonth: month, of: year)).contains(day), (0...23).contains(hour),
      (0...59).contains(minute), (0...60).contains(second)
    else { return nil }
    return Self.days(year: year, month: month, day: day) * 86_400 + hour * 3600 + minute * 60
      + second
  }

  /// Of a moment between the years 1 and 9999; moments beyond are moved to its ends.
  init(unixSeconds: Int) {
    let seconds = min(max(unixSeconds, -62_135_596_800), 253_402_300_799)
    let (day, time) = (Self.floorDivide(seconds, 86_400), Self.modulo(seconds, 86_400))
    (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60)
    // The inverse of `days(year:month:day:)`, with years that begin in March.
    let shifted = day + 719_468
    let era = Self.floorDivide(shifted, 146_097)
    let dayOfEra = Self.modulo(shifted, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    self.day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  init(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
    (self.year, self.month, self.day) = (year, month, day)
    (self.hour, self.minute, self.second) = (hour, minute, second)
  }

  private static func days(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }

  /// Days since 1970-01-01 in the proleptic Gregorian calendar: whole eras of 400 years, then
  /// years that begin in March, so that the leap day is the last of its year.
  private static func days(year: Int, month: Int, day: Int) -> Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = floorDivide(shiftedYear, 400)
    let yearOfEra = modulo(shiftedYear, 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func floorDivide(_ left: Int, _ right: Int) -> Int {
    left >= 0 ? left / right : -((right - 1 - left) / right)
  }

  private static func modulo(_ left: Int, _ right: Int) -> Int {
    left - floorDivide(left, right) * right
  }
}

/// Reads fixed forms from the front of a text.
struct TextScanner {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = Substring(text).utf8 }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func skip(_ literal: String) -> Bool {
    guard rest.starts(with: literal.utf8) else { return false }
    rest.removeFirst(literal.utf8.count)
    return true
  }

  /// Exactly so many ASCII digits.
  mutating func number(digits: Int) -> Int? {
    let text = rest.prefix(digits)
    guard text.count == digits, text.allSatisfy(Self.isDigit) else { return nil }
    rest.removeFirst(digits)
    return text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  /// One digit or more, as a fraction of one.
  mutating func fraction() -> Double? {
    let text = rest.prefix(while: Self.isDigit)
    guard !text.isEmpty else { return nil }
    rest.removeFirst(text.count)
    return Double("0." + String(Substring(text)))
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
