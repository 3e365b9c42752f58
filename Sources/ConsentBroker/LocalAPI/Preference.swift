import HTTP

/// `Prefer: wait=…` (RFC 7240, sections 2 and 4.3).
enum WaitPreference {
  /// The seconds that the client is willing to wait, at most `longest`; `nil` where it named none,
  /// or none that can be read: a preference is never an error.
  ///
  /// - Parameter values: the header's values, one for each line, in order. The first `wait` counts.
  static func seconds(in values: [String], longest: Int) -> Int? {
    for preference in values.flatMap({ split($0, at: ",") }) {
      let words = split(preference, at: ";").first ?? ""
      let pair = words.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair[0].trimmingBlanks().lowercased() == "wait" else { continue }
      guard pair.count == 2 else { return nil }
      var value = pair[1].trimmingBlanks()
      if value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") {
        value = value.dropFirst().dropLast()
      }
      return deltaSeconds(value).map { min($0, longest) }
    }
    return nil
  }

  /// Digits alone. `Int(_:)` would take a sign too; a number too large for it is just very long.
  private static func deltaSeconds(_ text: Substring) -> Int? {
    guard !text.isEmpty,
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Int(text) ?? .max
  }

  /// Splits outside of quoted strings.
  private static func split(_ text: some StringProtocol, at separator: Character) -> [Substring] {
    var parts: [Substring] = []
    let whole = Substring(text)
    var start = whole.startIndex
    var isQuoted = false
    var isEscaped = false
    for index in whole.indices {
      let character = whole[index]
      if isEscaped {
        isEscaped = false
      } else if isQuoted, character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        isQuoted.toggle()
      } else if !isQuoted, character == separator {
        parts.append(whole[start..<index])
        start = whole.index(after: index)
      }
    }
    return parts + [whole[start...]]
  }
}
