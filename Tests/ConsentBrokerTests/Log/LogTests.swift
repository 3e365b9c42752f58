import Synchronization
import Testing

@testable import ConsentBroker

/// Keeps what is logged.
final class Records: Sendable {
  private let kept = Mutex<[String]>([])

  var lines: [String] { kept.withLock { $0 } }
  var text: String { lines.joined() }

  func log(_ level: LogLevel = .debug) -> Log {
    Log(level: level) { [self] record in kept.withLock { $0.append(record.line) } }
  }
}

@Suite struct LogTests {
  @Test func saysNothingBelowItsLevel() {
    let records = Records()
    let log = records.log(.warning)
    log.error("one")
    log.warning("two")
    log.info("three")
    log.debug("four")
    #expect(
      records.lines == ["mero-consentd: error: one\n", "mero-consentd: warning: two\n"])
  }

  @Test func shortensIds() {
    let records = Records()
    records.log().info(
      "decided", .request("0123456789abcdef"), .session("s_0123456789"), .code("OK"), .count(3))
    #expect(
      records.lines == [
        "mero-consentd: info: decided request=01234567 session=s_012345 code=OK count=3\n"
      ])
  }

  @Test func nobodyWritesALineOfTheirOwn() {
    let records = Records()
    records.log().info(
      "odd\nmero-consentd: error: made up\u{1b}[2J\u{202e}\u{85}\u{2028}\0", .request("a\r\nb"))
    #expect(
      records.lines == [
        "mero-consentd: info: odd\\u{a}mero-consentd: error: made up\\u{1b}[2J\\u{202e}\\u{85}"
          + "\\u{2028}\\u{0} request=a\\u{d}\\u{a}b\n"
      ])
  }

  @Test func aRecordHasAtMost512Bytes() {
    let records = Records()
    let head = "mero-consentd: info: ".utf8.count
    records.log().info(String(repeating: "x", count: 511 - head))
    records.log().info(String(repeating: "x", count: 512 - head))
    records.log().info(String(repeating: "é", count: 1000))
    let sizes = records.lines.map(\.utf8.count)
    #expect(sizes[0] == 512)
    #expect(!records.lines[0].contains("…"))
    #expect(sizes[1] == 512)
    #expect(records.lines[1].hasSuffix("…\n"))
    #expect(sizes[2] <= 512 && sizes[2] > 508)
  }
}
