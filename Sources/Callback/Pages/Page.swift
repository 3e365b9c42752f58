/// A whole page of the callback, ready to be sent.
///
/// There is no script, no link, no form and nothing that is loaded from anywhere, and every word is
/// one of `PageText`: a page can neither do nor tell more than its topic.
package struct Page: Hashable, Sendable {
  package let topic: PageTopic
  package let language: PageLanguage

  package init(_ topic: PageTopic, in language: PageLanguage) {
    self.topic = topic
    self.language = language
  }

  /// Seconds between two looks while the node is being asked: short enough to feel prompt, long
  /// enough for a screen reader to say the heading in between.
  static let refreshSeconds = 2

  /// UTF-8 HTML.
  package var html: String {
    let text = language.text(on: topic)
    let refresh =
      topic == .verdict(.checking)
      ? "<meta http-equiv=\"refresh\" content=\"\(Self.refreshSeconds)\">\n" : ""
    return """
      <!DOCTYPE html>
      <html lang="\(language.rawValue)">
      <head>
      <meta charset="utf-8">
      <title>\(text.heading) – Calimero</title>
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="robots" content="noindex">
      \(refresh)<style>\(PageStyle.sheet)</style>
      </head>
      <body>
      <main data-state="\(topic.name)">
      <span class="mark \(topic.mark.rawValue)" aria-hidden="true"></span>
      <h1>\(text.heading)</h1>
      <p>\(text.happened)</p>
      <p class="next">\(text.next)</p>
      </main>
      </body>
      </html>

      """
  }
}
