/// The words of one page: a heading, what happened, and what to do next.
///
/// They are fixed sentences. Nothing from a request, a query or a node is ever put into them, so
/// they need no escaping and can give nothing away.
package struct PageText: Equatable, Sendable {
  package let heading: String
  package let happened: String
  package let next: String
}

extension PageLanguage {
  /// The sentences of `topic` in this language.
  package func text(on topic: PageTopic) -> PageText {
    switch self {
    case .english: englishText(on: topic)
    case .german: germanText(on: topic)
    case .spanish: spanishText(on: topic)
    case .french: frenchText(on: topic)
    case .japanese: japaneseText(on: topic)
    case .simplifiedChinese: simplifiedChineseText(on: topic)
    case .traditionalChinese: traditionalChineseText(on: topic)
    }
  }
}
