import ConsentClient
import FoundationEssentials
import Testing

@testable import mero_consent

@Suite struct DoctorTests {
  @Test(
    arguments: [
      ("http://127.0.0.1:17463/return", 17463), ("http://[::1]:80/return", 80), ("nonsense", nil),
      ("http://127.0.0.1/return", nil),
    ] as [(String, UInt16?)])
  func readsTheCallbacksPort(_ url: String, _ port: UInt16?) {
    #expect(CallbackCheck.port(url) == port)
  }

  @Test func aFaultHasItsMendingBelow() {
    let finding = Finding.fault("socket", "bad \u{1b}", mend: "do this")
    #expect(
      finding.lines(Style(isOn: false)) == [
        "fault  socket            bad \\u{1b}", "       → do this",
      ])
    #expect(Finding.ok("a", "b").lines(Style(isOn: false)) == ["ok     a                 b"])
  }
}
