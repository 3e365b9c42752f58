import FoundationEssentials
import HTTP
import Testing

/// `docs/http.md` says what the limits are; here it is held to it.
@Suite struct DocumentedLimitsTests {
  private static let page =
    "\(#filePath)".split(separator: "/").dropLast(3)
    .reduce("") { "\($0)/\($1)" } + "/docs/http.md"

  /// The numbers of each row, socket and callback, by what its first cell begins with.
  private static func rows() throws -> [String: [Int]] {
    let data = try #require(FileManager.default.contents(atPath: page))
    let text = String(decoding: data, as: UTF8.self)
    let section = try #require(text.split(separator: "\n## Limits\n").last)
    var rows: [String: [Int]] = [:]
    for line in section.split(separator: "\n") where line.hasPrefix("|") {
      let cells = line.split(separator: "|").map { $0.split(separator: " ").joined(separator: " ") }
      let numbers = cells.dropFirst().prefix(2).compactMap { Int($0) }
      let name = cells[0].split(separator: ",").first.map(String.init) ?? ""
      if numbers.count == 2 { rows[name] = numbers }
    }
    return rows
  }

  @Test func thePageTellsTheLimitsInForce() throws {
    func seconds(_ time: Duration) -> Int { Int(time.components.seconds) }
    let doors = [HTTPLimits.unixSocket, HTTPLimits.callback]
    let inForce: [String: [Int]] = [
      "request line": doors.map(\.startLine), "header section": doors.map(\.headerBytes),
      "header fields": doors.map(\.headerCount), "body": doors.map(\.bodyBytes),
      "chunk extensions of a body": doors.map(\.chunkExtensionBytes),
      "connections at once": doors.map(\.connections),
      "of these": doors.map { seconds($0.placeGrace) }, "strangers at once": doors.map(\.strangers),
      "whole header section": doors.map { seconds($0.headerTime) },
      "whole body": doors.map { seconds($0.bodyTime) },
      "idle between requests": doors.map { seconds($0.idleTime) },
      "no progress of an answer": doors.map { seconds($0.writeStall) },
      "of its own": doors.map(\.ownBytes), "requests together": doors.map(\.requestBytes),
      "answers together": doors.map(\.answerBytes),
    ]
    #expect(try Self.rows() == inForce)
  }
}
