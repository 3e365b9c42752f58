import Glibc
import MeroConsent
import Synchronization

/// What the daemon tells whoever runs it: one line a record, on standard error.
///
/// A record holds no token, no code, no page's address, no query and no whole request id, at any
/// level. What came from outside is escaped and cut, so that nobody writes a line of their own.
package struct Log: Sendable {
  /// Where whole lines go, their ends included.
  package typealias Sink = @Sendable (LogLevel, String) -> Void

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
    let value: String

    package static func request(_ id: String) -> Field { Field(name: "request", value: short(id)) }
    package static func session(_ id: String) -> Field { Field(name: "session", value: short(id)) }
    /// A code of the protocol or a state: a word of ours.
    package static func code(_ code: String) -> Field { Field(name: "code", value: code) }
    package static func count(_ number: Int) -> Field { Field(name: "count", value: "\(number)") }

    private static func short(_ id: String) -> String {
      let shown = id.unicodeScalars.prefix(idLength)
      return String(String.UnicodeScalarView(shown))
    }
  }

  private func write(_ level: LogLevel, _ text: () -> String, _ fields: [Field]) {
    guard level.priority <= threshold.priority.load(ordering: .relaxed) else { return }
    let shown = fields.map { " \($0.name)=\(escaped($0.value))" }.joined()
    let record = "mero-consentd: \(level.rawValue): \(escaped(text()))\(shown)"
    sink(level, cut(record) + "\n")
  }

  private func cut(_ record: String) -> String {
    guard record.utf8.count >= Self.longestRecord else { return record }
    let end = "…"
    var kept = ""
    var count = end.utf8.count + 1
    for character in record.unicodeScalars {
      count += UTF8.width(character)
      guard count <= Self.longestRecord else { break }
      kept.unicodeScalars.append(character)
    }
    return kept + end
  }

  package static let standardError: Sink = { _, line in
    let bytes = Array(line.utf8)
    // One call, so that lines of two processes do not mix. Where nobody reads, nothing is said.
    _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
