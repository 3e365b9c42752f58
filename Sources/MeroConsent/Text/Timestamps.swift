package import FoundationEssentials

/// RFC 3339 dates with a time and an offset, read strictly.
package enum RFC3339 {
  /// Bytes of the longest text that is read.
  private static let longest = 64

  /// `2030-01-01T00:00:00Z`, with fractions and offsets; `nil` for everything else, a day alone
  /// and a thirteenth month among them.
  package static func date(_ text: String) -> Date? {
    guard text.utf8.count <= longest else { return nil }
    var scanner = TextScanner(text)
    guard let year = scanner.number(digits: 4), scanner.skip("-"),
      let month = scanner.number(digits: 2), scanner.skip("-"),
      let day = scanner.number(digits: 2), scanner.skip("T") || scanner.skip("t"),
      let hour = scanner.number(digits: 2), scanner.skip(":"),
      let minute = scanner.number(digits: 2), scanner.skip(":"),
      let second = scanner.number(digits: 2)
    else { return nil }
    var fraction = 0.0
    if scanner.skip(".") {
      guard let digits = scanner.fraction() else { return nil }
      fraction = digits
    }
    guard let offset = offsetSeconds(&scanner), scanner.isAtEnd else { return nil }
    let time = CivilTime(
      year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    guard let seconds = time.unixSeconds else { return nil }
    // A leap second is only ever the last second of a UTC day.
    guard second < 60 || (seconds - offset).isMultiple(of: 86_400) else { return nil }
    return Date(timeIntervalSince1970: Double(seconds - offset) + fraction)
  }

  /// `2030-01-01T00:00:00Z`, with milliseconds where there are any.
  package static func text(_ date: Date) -> String {
    let milliseconds = Int((date.timeIntervalSince1970.clamped * 1000).rounded(.down))
    let fraction = (milliseconds % 1000 + 1000) % 1000
    let time = CivilTime(unixSeconds: (milliseconds - fraction) / 1000)
    return String(unsafeUninitializedCapacity: longestWritten) { buffer in
      var digits = DigitWriter(buffer)
      digits.write(time.year, width: 4, after: nil)
      digits.write(time.month, width: 2, after: "-")
      digits.write(time.day, width: 2, after: "-")
      digits.write(time.hour, width: 2, after: "T")
      digits.write(time.minute, width: 2, after: ":")
      digits.write(time.second, width: 2, after: ":")
      if fraction > 0 { digits.write(fraction, width: 3, after: ".") }
      digits.write("Z")
      return digits.count
    }
  }

  /// Bytes of `9999-12-31T23:59:59.999Z`.
  private static let longestWritten = 24

  private static func offsetSeconds(_ scanner: inout TextScanner) -> Int? {
    if scanner.skip("Z") || scanner.skip("z") { return 0 }
    let sign = scanner.skip("+") ? 1 : scanner.skip("-") ? -1 : 0
    guard sign != 0, let hours = scanner.number(digits: 2), scanner.skip(":"),
      let minutes = scanner.number(digits: 2), hours <= 23, minutes <= 59
    else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }
}

/// Writes numbers of a fixed width one after another.
private struct DigitWriter {
  private let buffer: UnsafeMutableBufferPointer<UInt8>
  private(set) var count = 0

  init(_ buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

  mutating func write(_ mark: Unicode.Scalar) {
    buffer[count] = UInt8(ascii: mark)
    count += 1
  }

  mutating func write(_ number: Int, width: Int, after mark: Unicode.Scalar?) {
    if let mark { write(mark) }
    var rest = number
    for index in (count..<(count + width)).reversed() {
      buffer[index] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
    count += width
  }
}

/// The `Date` field of an HTTP answer: RFC 9110's IMF-fixdate, the one form that is sent today.
package enum HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

  /// `Sun, 06 Nov 1994 08:49:37 GMT`; `nil` for everything else.
  package static func date(_ text: String) -> Date? {
    var scanner = TextScanner(text)
    guard weekdays.contains(where: { scanner.skip($0) }), scanner.skip(", "),
      let day = scanner.number(digits: 2), scanner.skip(" "),
      let month = months.firstIndex(where: { scanner.skip($0) }), scanner.skip(" "),
      let year = scanner.number(digits: 4), scanner.skip(" "),
      let hour = scanner.number(digits: 2), scanner.skip(":"),
      let minute = scanner.number(digits: 2), scanner.skip(":"),
      let second = scanner.number(digits: 2), scanner.skip(" GMT"), scanner.isAtEnd
    else { return nil }
    let time = CivilTime(
      year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)
    return time.unixSeconds.map { Date(timeIntervalSince1970: Double($0)) }
  }
}

extension Double {
  /// Within the years 1 to 9999, so that it fits an `Int` of milliseconds.
  fileprivate var clamped: Double {
    isFinite ? min(max(self, -62_135_596_800), 253_402_300_799) : 0
  }
}
