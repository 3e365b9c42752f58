import FoundationEssentials
import Testing

@testable import Callback
@testable import ConsentBroker

/// `docs/security.md` says how much there may be of what; here it is held to it.
@Suite struct DocumentedBoundsTests {
  private static let page =
    "\(#filePath)".split(separator: "/").dropLast(4)
    .reduce("") { "\($0)/\($1)" } + "/docs/security.md"

  @Test func thePageTellsTheLimitsInForce() throws {
    let data = try #require(FileManager.default.contents(atPath: Self.page))
    let section = try #require(
      String(decoding: data, as: UTF8.self).split(separator: "\n## Limits\n").last)
    var rows: [String: [Int?]] = [:]
    var kind = ""
    for line in section.split(separator: "\n") where line.hasPrefix("|") {
      let cells = line.split(separator: "|").map { $0.split(separator: " ").joined(separator: " ") }
      // “of those” is part of what is above it.
      if !cells[0].hasPrefix("of those") { kind = cells[0] }
      rows[cells[0] == kind ? kind : "\(kind), \(cells[0])"] = [Int(cells[1]), Int(cells[2])]
    }
    rows["what"] = nil
    rows["---"] = nil
    let waits = BrokerSettings(version: "1").waits
    #expect(
      rows == [
        "sessions": [nil, BrokerLimits.sessions],
        "undecided requests of a session": [BrokerLimits.openRequests, nil],
        "bytes that undecided requests have together, beyond what each has for itself": [
          BrokerLimits.openRequestBytes, BrokerLimits.allOpenRequestBytes,
        ],
        "calls of a session to its node that are under way": [
          NodeTurns.Limits.ofASession, NodeTurns.Limits.common,
        ],
        "calls of a session to its node that are under way, of those, if nobody waits for them": [
          NodeTurns.Limits.watched(NodeTurns.Limits.ofASession),
          NodeTurns.Limits.watched(NodeTurns.Limits.common),
        ],
        "waits of a session": [waits.ofASession, waits.all],
        "event streams of a session": [BrokerLimits.eventStreams, BrokerLimits.allEventStreams],
        "calls of a session that wait for the verdict on a return": [
          BrokerLimits.returnCalls, nil,
        ],
        "calls of a session that wait for the verdict on a return, of those, for one request": [
          BrokerLimits.returnCallsOfARequest, nil,
        ],
        "returns without a ticket and of no undecided request, while the record is asked": [
          nil, BrokerLimits.lookupsOfReturns,
        ],
        "returns of one ticket at once": [ReturnLimiter.Limits.perTicket, nil],
        "returns to the bare address at once": [ReturnLimiter.Limits.bare, nil],
      ])
  }
}
