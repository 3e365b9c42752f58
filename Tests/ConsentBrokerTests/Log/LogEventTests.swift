import EventLoop
import Testing

@testable import ConsentBroker

@Suite struct LogEventTests {
  @Test func eachIsDocumentedAndNoOther() throws {
    let file = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let bytes = try Files.read("/\(file)/docs/operations.md", limit: 1 << 20)
    let words = String(decoding: bytes, as: UTF8.self).split {
      !$0.isHexDigit || $0.isUppercase
    }
    let documented = words.filter { $0.count == 32 }.map(String.init)
    #expect(Set(documented) == Set(LogEvent.allCases.map(\.rawValue)))
    #expect(documented.count == LogEvent.allCases.count)
  }

  @Test func eachIsANumberOfItsOwn() {
    let values = LogEvent.allCases.map(\.rawValue)
    #expect(Set(values).count == values.count)
    #expect(values.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
  }

  @Test func aRecordHasItsEventAndFields() {
    let records = Records()
    records.log().info("ended", .request("0123456789"), .code("OK"), .event(.requestEnded))
    #expect(records.lines == ["mero-consentd: info: ended request=01234567 code=OK\n"])
  }
}
