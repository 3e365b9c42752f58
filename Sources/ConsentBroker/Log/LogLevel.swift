/// How much is said. Raw values are the words of `--log-level` and `LogLevel=`.
package enum LogLevel: String, CaseIterable, Comparable, Sendable {
  case error, warning, info, debug

  static let names = allCases.map(\.rawValue).joined(separator: ", ")

  /// As syslog and the journal count: smaller is more urgent.
  package var priority: Int {
    switch self {
    case .error: 3
    case .warning: 4
    case .info: 6
    case .debug: 7
    }
  }

  /// Whether `left` is more urgent than `right`.
  package static func < (left: Self, right: Self) -> Bool { left.priority < right.priority }
}
