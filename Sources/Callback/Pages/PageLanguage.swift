import HTTP

/// A language that the pages speak. The raw value is its tag (RFC 5646), for `lang` and
/// `Content-Language`. Chinese names its script, by which a screen reader picks its voice and a
/// browser its letters.
package enum PageLanguage: String, Sendable, CaseIterable {
  case english = "en"
  case german = "de"
  case spanish = "es"
  case french = "fr"
  case japanese = "ja"
  case simplifiedChinese = "zh-Hans"
  case traditionalChinese = "zh-Hant"

  /// The language that a range asks for, in lower case: `de-at` is German. Chinese is told apart
  /// by its script and, where none is named, by its region.
  private init?(range: String) {
    let subtags = range.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    guard let primary = subtags.first else { return nil }
    guard primary == "zh" else {
      self.init(rawValue: primary)
      return
    }
    let isTraditional =
      !subtags.contains("hans")
      && subtags.contains { ["hant", "tw", "hk", "mo"].contains($0) }
    self = isTraditional ? .traditionalChinese : .simplifiedChinese
  }

  /// What a reader of `Accept-Language` likes best among these languages; English where there is
  /// none (RFC 9110, section 12.5.4).
  ///
  /// A range matches by its first subtags, so that `de-CH` gets German, and `*` stands for English
  /// unless English has a range of its own. Among equal weights the earlier one wins. What is
  /// malformed, or refused by the weight 0, is passed over.
  ///
  /// - Parameter values: the header's values, one for each line, in order.
  package static func preferred(in values: [String]) -> PageLanguage {
    var best: (language: PageLanguage, weight: Int) = (.english, 0)
    var namesEnglish = false
    var others = 0
    for item in values.joined(separator: ",").split(separator: ",").prefix(maximumRanges) {
      let parts = item.split(separator: ";", omittingEmptySubsequences: false)
      guard let first = parts.first, let weight = weight(of: parts.dropFirst()) else { continue }
      let range = first.trimmingBlanks().lowercased()
      if range == "*" {
        others = max(others, weight)
      } else if let language = PageLanguage(range: range) {
        namesEnglish = namesEnglish || language == .english
        if weight > best.weight { best = (language, weight) }
      }
    }
    return others > best.weight && !namesEnglish ? .english : best.language
  }

  /// How many ranges are looked at. Browsers send a handful; the rest would only cost time.
  static let maximumRanges = 64

  /// The weight in thousandths: 1000 where none is given, `nil` where it is malformed.
  private static func weight(of parameters: ArraySlice<Substring>) -> Int? {
    for parameter in parameters {
      let pair = parameter.trimmingBlanks()
      guard pair.hasPrefix("q=") || pair.hasPrefix("Q=") else { continue }
      return thousandths(pair.dropFirst(2))
    }
    return 1000
  }

  /// Reads `qvalue`: 0 or 1, and at most three decimals, not over 1.
  private static func thousandths(_ text: Substring) -> Int? {
    let digits = text.utf8
    guard let whole = digits.first, whole == UInt8(ascii: "0") || whole == UInt8(ascii: "1") else {
      return nil
    }
    var value = Int(whole - UInt8(ascii: "0")) * 1000
    guard digits.count > 1 else { return value }
    guard digits.count <= 5, digits.dropFirst().first == UInt8(ascii: ".") else { return nil }
    var unit = 100
    for digit in digits.dropFirst(2) {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      value += Int(digit - UInt8(ascii: "0")) * unit
      unit /= 10
    }
    return value <= 1000 ? value : nil
  }
}
