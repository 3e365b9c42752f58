/// `Date` as it is sent: an IMF-fixdate in GMT (RFC 9110, section 5.6.7).
package enum HTTPDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// - Parameter seconds: since 1970, not negative.
  package static func text(secondsSince1970 seconds: Int) -> String {
    let (day, time) = seconds.quotientAndRemainder(dividingBy: 86_400)
    let date = civil(day)
    let clock = [time / 3600, time / 60 % 60, time % 60].map(twoDigits).joined(separator: ":")
    return "\(days[day % 7]), \(twoDigits(date.day)) \(months[date.month - 1]) \(date.year) "
      + "\(clock) GMT"
  }

  private static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }

  /// The Gregorian date of a day counted from 1970-01-01. Years are counted from March, so that
  /// the day that comes and goes is the last one; 400 of them are 146,097 days.
  private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
    let sinceMarchOf0 = day + 719_468
    let (era, dayOfEra) = sinceMarchOf0.quotientAndRemainder(dividingBy: 146_097)
    let leapDays = dayOfEra / 1460 - dayOfEra / 36_524 + dayOfEra / 146_096
    let yearOfEra = (dayOfEra - leapDays) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }
}
