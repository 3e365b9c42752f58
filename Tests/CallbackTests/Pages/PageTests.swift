import FoundationEssentials
import Testing

@testable import Callback

@Suite struct PageTests {
  static let pages = PageTopic.all.flatMap { topic in
    PageLanguage.allCases.map { Page(topic, in: $0) }
  }

  @Test(arguments: pages) func saysWhatItIsAboutAndInWhichLanguage(_ page: Page) {
    #expect(page.html.contains("<main data-state=\"\(page.topic.name)\">"))
    #expect(page.html.contains("<html lang=\"\(page.language.rawValue)\">"))
    #expect(page.html.hasPrefix("<!DOCTYPE html>\n"))
  }

  @Test(arguments: pages) func hasOneHeadingWhatHappenedAndWhatToDoNext(_ page: Page) {
    let text = page.language.text(on: page.topic)
    #expect(page.html.contains("<h1>\(text.heading)</h1>"))
    #expect(page.html.contains("<p>\(text.happened)</p>"))
    #expect(page.html.contains("<p class=\"next\">\(text.next)</p>"))
    #expect(page.html.split(separator: "<h1>").count == 2)
    #expect(!text.heading.isEmpty && !text.happened.isEmpty && !text.next.isEmpty)
  }

  @Test(arguments: pages) func hasNothingThatRunsOrLoadsOrLeads(_ page: Page) {
    for element in [
      "<script", "<link", "<a ", "<img", "<svg", "<iframe", "<form", "<object", "<embed", "<base",
      "javascript:", "http:", "https:", "//", "url(", "@import", "style=\"",
    ] {
      #expect(!page.html.contains(element), "\(element)")
    }
    #expect(page.html.firstMatch(of: /<[^>]*\son[a-z]+=/) == nil)
  }

  @Test(arguments: pages) func refreshesItselfOnlyWhileTheNodeIsAsked(_ page: Page) {
    let refreshes = page.html.contains("<meta http-equiv=\"refresh\" content=\"2\">")
    #expect(refreshes == (page.topic == .verdict(.checking)))
  }

  @Test(arguments: pages) func fitsItsTextsIntoHTMLAsTheyAre(_ page: Page) {
    let text = page.language.text(on: page.topic)
    for sentence in [text.heading, text.happened, text.next] {
      #expect(!sentence.contains { "<>&\"\n".contains($0) }, "\(sentence)")
    }
  }

  @Test func hasAMarkThatAScreenReaderPassesOver() {
    for topic in PageTopic.all {
      let html = Page(topic, in: .english).html
      #expect(html.contains("<span class=\"mark \(topic.mark.rawValue)\" aria-hidden=\"true\">"))
      #expect(PageStyle.sheet.contains(".\(topic.mark.rawValue){"))
    }
  }

  @Test func tellsNoTwoTopicsApartByTheSameWords() {
    for language in PageLanguage.allCases {
      let headings = PageTopic.all.map { language.text(on: $0).heading }
      #expect(Set(headings).count == PageTopic.all.count, "\(language)")
    }
  }

  /// French puts a space before these, and no line may begin with them.
  @Test func breaksNoFrenchLineBeforeItsPunctuation() {
    for topic in PageTopic.all {
      let text = PageLanguage.french.text(on: topic)
      for sentence in [text.heading, text.happened, text.next] {
        #expect(sentence.firstMatch(of: /(^|[^\u{A0}\u{202F}])[:;!?]/) == nil, "\(sentence)")
      }
    }
  }

  @Test func isNowhereInTwoLanguagesTheSame() {
    for topic in PageTopic.all {
      let sentences = PageLanguage.allCases.map { $0.text(on: topic).happened }
      #expect(Set(sentences).count == PageLanguage.allCases.count, "\(topic)")
    }
  }

  @Test func saysApprovedOnlyWhereTheNodeDid() {
    for topic in PageTopic.all where topic != .verdict(.approved) {
      #expect(topic.mark != .check)
      #expect(PageLanguage.english.text(on: topic).heading != "Approved")
    }
  }

  @Test(arguments: [
    (PageState.checking, 200), (.approved, 200), (.declined, 200), (.notDecided, 409),
    (.mismatch, 409), (.replaced, 410), (.expired, 410), (.cancelled, 410), (.notConfirmed, 502),
    (.unknown, 404),
  ]) func hasTheStatusOfItsVerdict(_ state: PageState, _ status: Int) {
    #expect(state.status == status)
  }

  @Test func isDescribedWhateverItIsAbout() throws {
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let documents = try ["callback", "protocol"].map { name in
      String(
        decoding: try Data(contentsOf: URL(filePath: "/\(root)/docs/\(name).md")), as: UTF8.self)
    }.joined()
    for topic in PageTopic.all {
      #expect(
        documents.contains("`\(topic.name)`") || documents.contains("data-state=\"\(topic.name)\""),
        "\(topic.name)")
    }
  }

  @Test func isDescribedWithItsLimits() throws {
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let text = String(
      decoding: try Data(contentsOf: URL(filePath: "/\(root)/docs/callback.md")), as: UTF8.self)
    typealias Limits = ReturnLimiter.Limits
    #expect(text.contains("\(Limits.perTicket) of one ticket and one more each second"))
    #expect(text.contains("\(Limits.bare) without a ticket and one more each half second"))
    #expect(Limits.ticketInterval == .seconds(1) && Limits.bareInterval == .milliseconds(500))
  }
}
