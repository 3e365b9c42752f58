import FoundationEssentials
import Testing

@testable import MeroConsent

/// When something is "not current", the likely cause is named.
@Suite struct ClockAdviceTests {
  private static let noon = Date(timeIntervalSince1970: 1_796_126_400)

  private func sentence(_ here: Date, node: Date?, holdsThere: Bool) -> String {
    ClockAdvice(here: here, node: node).sentence(holdsAtNodeTime: { time in
      #expect(time == node)
      return holdsThere
    })
  }

  @Test(arguments: [0, -1, 1_793_491_199] as [Double])
  func aClockBeforeThisProgramCannotBe(_ seconds: Double) {
    for node in [nil, Self.noon] {
      let text = sentence(Date(timeIntervalSince1970: seconds), node: node, holdsThere: true)
      #expect(text.contains("cannot be"))
      #expect(text.contains("clock"))
    }
    #expect(
      sentence(Date(timeIntervalSince1970: 0), node: nil, holdsThere: false)
        .contains("1970-01-01T00:00:00Z"))
  }

  @Test(arguments: [-400, 400, 31_536_000] as [Double])
  func aClockThatDiffersFromTheNodesIsLikelyWrong(
    _ offset: Double
  ) {
    let text = sentence(Self.noon.addingTimeInterval(offset), node: Self.noon, holdsThere: true)
    #expect(text.contains("the clock here is the likely cause"))
    #expect(text.contains("2026-12-01T12:00:00Z"))
  }

  @Test(
    arguments: [
      (nil, true), (Self.noon, true), (Self.noon.addingTimeInterval(300), true),
      (Self.noon.addingTimeInterval(-300), true), (Self.noon.addingTimeInterval(86_400), false),
    ] as [(Date?, Bool)])
  func otherwiseTheDocumentsAre(node: Date?, holdsThere: Bool) {
    let text = sentence(Self.noon, node: node, holdsThere: holdsThere)
    #expect(text.contains("has to fetch its collateral anew"))
    #expect(text.contains("2026-12-01T12:00:00Z"))
  }
}
