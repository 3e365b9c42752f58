import Glibc
import MeroConsent
import Synchronization

/// What the daemon tells whoever runs it: one line a record, on standard error.
///
/// A record holds no token, no code, no page's address, no query and no whole request id, at any
/// level. What came from outside is escaped and cut, so that nobody writes a line of their own.
package struct Log: Sendable {
  /// Where records go.
  package typealias Sink = @Sendable (Record) -> Void

  /// One record, escaped and cut.
  package struct Record: Sendable {
    package let level: LogLevel
    package let event: LogEvent?
    /// What happened, and what it is about.
    package let message: String
    let fields: [Field]

    /// With its end.
    package var line: String { "\(Log.head(level))\(message)\n" }
  }

  /// Bytes of a record with its line end. A pipe takes this much in one piece.
  static let longestRecord = 512
  /// Characters of a request id or session that are shown: enough to find it, too few to use it.
  static let idLength = 8

  /// Shared by all copies, so that it can be changed for all of them.
  private final class Threshold: Sendable {
    let priority: Atomic<Int>

    init(_ level: LogLevel) { priority = Atomic(level.priority) }
  }

  private let threshold: Threshold
  private let sink: Sink

  package init(level: LogLevel, sink: @escaping Sink = Log.standardError) {
    threshold = Threshold(level)
    self.sink = sink
  }

  /// The least urgent level that is said, here and in every copy.
  package var level: LogLevel {
    get {
      let priority = threshold.priority.load(ordering: .relaxed)
      return LogLevel.allCases.first { $0.priority == priority } ?? .info
    }
    nonmutating set { threshold.priority.store(newValue.priority, ordering: .relaxed) }
  }

  /// Whether records of this level are kept: for those who would have to make something for one.
  package func keeps(_ level: LogLevel) -> Bool {
    level.priority <= threshold.priority.load(ordering: .relaxed)
  }

  package func error(_ text: @autoclosure () -> String, _ fields: Field...) {
    write(.error, text, fields)
  }

  package func warning(_ text: @autoclosure () -> String, _ fields: Field...) {
    write(.warning, text, fields)
  }

  package func info(_ text: @autoclosure () -> String, _ fields: Field...) {
    write(.info, text, fields)
  }

  package func debug(_ text: @autoclosure () -> String, _ fields: Field...) {
    write(.debug, text, fields)
  }

  /// What a record is about, in the one form in which it may be shown.
  package struct Field: Sendable {
    let name: StaticString
    /// Escaped.
    let value: String
    /// In the journal.
    let journalName: String?
    let event: LogEvent?

    private init(_ name: StaticString, _ value: String, journal: String? = nil) {
      (self.name, self.value, journalName, event) = (name, escaped(value), journal, nil)
    }

    private init(_ event: LogEvent) {
      (name, value, journalName, self.event) = ("event", event.rawValue, nil, event)
    }

    package static func request(_ id: String) -> Field {
      Field("request", short(id), journal: "REQUEST_ID")
    }
    package static func session(_ id: String) -> Field {
      Field("session", short(id), journal: "SESSION")
    }
    /// A code of the protocol or a state: a word of ours.
    package static func code(_ code: String) -> Field {
      Field("code", code, journal: "CONSENT_CODE")
    }
    package static func count(_ number: Int) -> Field { Field("count", "\(number)") }
    /// What kind of thing happened. Shown to programs only.
    package static func event(_ event: LogEvent) -> Field { Field(event) }

    private static func short(_ id: String) -> String {
      let shown = id.unicodeScalars.prefix(idLength)
      return String(String.UnicodeScalarView(shown))
    }
  }

  private func write(_ level: LogLevel, _ text: () -> String, _ fields: [Field]) {
    guard keeps(level) else { return }
    let about = fields.filter { $0.event == nil }
    let shown = about.map { " \($0.name)=\($0.value)" }.joined()
    let message = Self.cut(escaped(text()) + shown, after: Self.head(level).utf8.count)
    sink(
      Record(
        level: level, event: fields.lazy.compactMap(\.event).first, message: message,
        fields: about))
  }

  private static func head(_ level: LogLevel) -> String { "mero-consentd: \(level.rawValue): " }

  private static func cut(_ record: String, after head: Int) -> String {
    guard head + record.utf8.count >= longestRecord else { return record }
    let end = "…"
    var kept = ""
    var count = head + end.utf8.count + 1
    for character in record.unicodeScalars {
      count += UTF8.width(character)
      guard count <= longestRecord else { break }
      kept.unicodeScalars.append(character)
    }
    return kept + end
  }

  package static let standardError: Sink = { write($0.line) }

  static func write(_ line: String) {
    let bytes = Array(line.utf8)
    // One call, so that lines of two processes do not mix. Where nobody reads, nothing is said.
    _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
