import EventLoop
import Testing

@testable import mero_consent

@Suite(.serialized) struct TerminalTests {
  @Test @LoopActor func jsonKeepsStandardOutputForOneDocument() throws {
    let recorded = RecordedTerminal(wantsJSON: true)
    try recorded.terminal.print("a line")
    try recorded.terminal.document(["a": "b"])
    recorded.terminal.say("a remark")
    #expect(recorded.output == "{\"a\":\"b\"}\n")
    #expect(recorded.error == "a remark\n")
  }

  @Test @LoopActor func withoutJSONThereIsNoDocument() throws {
    let recorded = RecordedTerminal()
    try recorded.terminal.print("a line")
    try recorded.terminal.document(["a": "b"])
    #expect(recorded.output == "a line\n")
  }

  @Test func jsonHasNothingThatATerminalActsOn() {
    let text = JSONText.document(["a": "\u{1b}[31m\u{7f}\u{9b}\u{202e}é\n/\u{e0001}"])
    #expect(text == #"{"a":"\u001b[31m\u007f\u009b\u202eé\n/\udb40\udc01"}"#)
  }

  @Test @LoopActor func theLiveLineIsCutAndTakenAwayBeforeOthers() {
    let recorded = RecordedTerminal(
      wantsJSON: false,
      .init(isInteractive: true, hasLiveLine: true, columns: 20))
    recorded.terminal.live("0123456789012345678901234567890")
    recorded.terminal.say("x")
    #expect(recorded.error == "\r012345678901234567…\u{1b}[K\r\u{1b}[Kx\n")
  }

  @Test @LoopActor func withoutATerminalThereIsNoLiveLine() {
    let recorded = RecordedTerminal()
    recorded.terminal.live("x")
    recorded.terminal.clearLive()
    #expect(recorded.error == "")
  }

  @Test @LoopActor func afailureIsEscapedAndADocument() {
    let recorded = RecordedTerminal(wantsJSON: true)
    recorded.terminal.report(
      CommandFailure(.badData, .fileUnusable, "bad \u{1b}[2J", hint: "do \u{7}"))
    #expect(recorded.error == "mero-consent: FILE_UNUSABLE: bad \\u{1b}[2J\ndo \\u{7}\n")
    #expect(recorded.output.contains(#""exitCode":65"#))
  }

  @Test(arguments: [
    (0, "0:00"), (-3, "0:00"), (59, "0:59"), (60, "1:00"), (3599, "59:59"), (3600, "1:00:00"),
  ])
  func countsDown(_ seconds: Int, _ text: String) {
    #expect(TimeText.countdown(seconds) == text)
  }

  @Test(arguments: [
    (0, "0 s"), (61, "1 min 1 s"), (3600, "1 h"), (3661, "1 h 1 min"), (90_061, "1 d 1 h"),
  ])
  func spansHaveTwoParts(_ seconds: Int, _ text: String) {
    #expect(TimeText.span(.seconds(seconds)) == text)
  }
}

@Suite struct LayoutTests {
  @Test func widthsOfWideCombiningAndColouredText() {
    #expect(Layout.width("abc") == 3)
    #expect(Layout.width("日本") == 4)
    #expect(Layout.width("e\u{301}") == 1)
    #expect(Layout.width(Style(isOn: true).bold("ab")) == 2)
  }

  @Test func wrapsAtWordsAndKeepsLongOnes() {
    #expect(Layout.wrapped("aa bb cc", columns: 5) == ["aa bb", "cc"])
    #expect(Layout.wrapped("aaaaaaaa b", columns: 4, indent: "  ") == ["aaaaaaaa", "  b"])
  }

  @Test func termsStandBelowEachOtherOnNarrowTerminals() {
    #expect(Layout.terms([("--a", "text")], columns: 40) == ["  --a", "      text"])
    #expect(Layout.terms([("--a", "text")], columns: 80) == ["  --a  text"])
  }

  @Test func codesAreLargeWhereThereIsRoom() {
    #expect(LargeText.lines("7QF2-XK", columns: 80)?.count == 5)
    #expect(LargeText.lines("7QF2-XK", columns: 41) == nil)
    #expect(LargeText.lines("7QF2-XK", columns: 42) != nil)
    #expect(LargeText.lines("été", columns: 80) == nil)
    #expect(LargeText.lines("I", columns: 80) == ["█████", "  █  ", "  █  ", "  █  ", "█████"])
  }
}
