/// Unix seconds as a date in UTC, the other way round from the library's `UnixTime`.
struct CivilDate {
  let year: Int
  private let fields: [Int]

  init(_ seconds: Int64) {
    let days = Int(seconds / 86_400)
    let second = Int(seconds % 86_400)
    // Counted in eras of 400 years that begin on 1 March.
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    fields = [month, day, second / 3600, second / 60 % 60, second % 60]
  }

  /// `YYYYMMDDHHMMSS`.
  var digits: String { Self.padded(year, 4) + fields.map { Self.padded($0, 2) }.joined() }

  /// `YYYY-MM-DDTHH:MM:SSZ`.
  var iso8601: String {
    let two = fields.map { Self.padded($0, 2) }
    return "\(Self.padded(year, 4))-\(two[0])-\(two[1])T\(two[2]):\(two[3]):\(two[4])Z"
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }
}
