import MeroConsent
import Testing

@testable import mero_consent

@Suite struct HelpTextTests {
  private func help(_ words: String...) -> String {
    HelpText.text(of: words, columns: 100, Style(isOn: false))
  }

  /// The row of an exit status, or `nil`.
  private func exit(_ code: Int, _ text: String) -> Substring? {
    text.split(separator: "\n").first { $0.hasPrefix("  \(code)  ") }
  }

  @Test func exitStatusOneSaysWhatItMeansThere() {
    #expect(exit(1, help("doctor"))?.hasSuffix("  something does not work") == true)
    for command in ["register-scheme", "unregister-scheme"] {
      let row = exit(1, help(command))
      #expect(row?.contains("the scheme") == true && row?.contains("doctor") == false)
    }
    #expect(exit(1, help("status")) == nil)
    #expect(ManualPage.text.contains("register\\-scheme, unregister\\-scheme: the scheme"))
  }

  @Test func onlyWhatMayHaveAnInviteOffersItsToken() {
    for kind in ConsentKind.allCases {
      #expect(
        help("request", kind.rawValue).contains("--show-secret") == (kind == .createInvite),
        "\(kind)")
    }
    for command in ["wait", "result", "return"] {
      #expect(help(command).contains("--show-secret") && help(command).contains("--output"))
    }
  }

  @Test func aStreamIsADocumentALine() {
    #expect(help("watch").contains("print a JSON document a line"))
    #expect(!help("watch").contains("print one JSON document"))
    #expect(help("list").contains("print one JSON document"))
    #expect(ManualPage.text.contains("Print a JSON document a line"))
  }

  @Test(arguments: [("It is gone.", "It is gone."), ("no return", "no return.")])
  func aNotificationHasWholeSentences(_ message: String, _ shown: String) {
    #expect(HandleCommand.sentence(message) == shown)
  }
}
