import Sealed
import Testing

@testable import MeroConsent

@Suite struct ReplyHeadReaderTests {
  private func read(_ lines: [String]) -> ReplyHeadReader.Step {
    var reader = ReplyHeadReader()
    var step = ReplyHeadReader.Step.more
    for line in lines + [""] {
      step = Array((line + "\r\n").utf8).withUnsafeBytes { reader.take($0) }
    }
    return step
  }

  @Test(arguments: [
    (["HTTP/1.1 200 OK"], CarrierReplyHead(status: 200)),
    (["HTTP/1.1 599"], CarrierReplyHead(status: 599)),
    (["HTTP/1.0 503 No", "Retry-After:5"], CarrierReplyHead(status: 503, retryAfter: "5")),
    (
      ["HTTP/1.1 200 OK", "DATE:\t now \t", "date-x: no", "X: HTTP/1.1 500"],
      CarrierReplyHead(status: 200, date: "now")
    ),
    (
      ["HTTP/1.1 100 Go", "Content-Type: a/b", "", "HTTP/1.1 200 OK"],
      CarrierReplyHead(status: 200)
    ),
    (["HTTP/1.1 200 OK", "Content-Type:"], CarrierReplyHead(status: 200, contentType: "")),
  ])
  func reads(_ lines: [String], _ head: CarrierReplyHead) {
    #expect(read(lines) == .whole(head))
  }

  @Test(arguments: ["HTTP/1.1 600 X", "HTTP/1.1 999"])
  func refusesAStatusThatIsNone(_ line: String) {
    guard case .refused = read([line]) else {
      Issue.record("taken: \(line)")
      return
    }
  }

  @Test func itsLimitIsOnAllLinesTogether() {
    let line = String(repeating: "y", count: 998)
    let first = "HTTP/1.1 200 OK"
    // Each line has its line end of two bytes, and so has the empty one.
    let most = (CarrierLimits.headerBytes - first.utf8.count - 4) / 1000
    #expect(read([first] + Array(repeating: line, count: most)) == .whole(.init(status: 200)))
    guard case .refused = read([first] + Array(repeating: line, count: most + 1)) else {
      Issue.record("a header over the limit is taken")
      return
    }
  }
}
