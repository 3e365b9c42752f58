import FoundationEssentials
import Glibc
import MeroConsent

/// Times as a person reads them.
enum TimeText {
  /// `2 d 3 h`, `5 min 10 s`, `8 s`.
  static func span(_ duration: Duration) -> String {
    let seconds = max(0, duration.components.seconds)
    let parts = [
      (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"),
      (seconds % 60, "s"),
    ]
    let shown = parts.drop { $0.0 == 0 }.prefix(2).filter { $0.0 != 0 }
    return shown.isEmpty ? "0 s" : shown.map { "\($0.0) \($0.1)" }.joined(separator: " ")
  }

  /// `4:05`, `1:00:00`: for a clock that runs down.
  static func countdown(_ seconds: Int) -> String {
    let seconds = max(0, seconds)
    let two = { (number: Int) in (number < 10 ? "0" : "") + "\(number)" }
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    return hours > 0
      ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(minutes):\(two(seconds % 60))"
  }

  /// `2030-01-01 09:30`, in the person's own time zone.
  static func moment(_ date: Date) -> String {
    var seconds = time_t(min(max(date.timeIntervalSince1970, 0), 253_402_300_799))
    var parts = tm()
    localtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 32)
    strftime(&text, text.count, "%Y-%m-%d %H:%M", &parts)
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
