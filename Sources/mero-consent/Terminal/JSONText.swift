import FoundationEssentials

/// JSON that a terminal can show.
enum JSONText {
  /// On one line, its names in order.
  static func document(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Our documents have texts, numbers and flags: each of them can be written.
    guard let data = try? encoder.encode(value) else { return "{}" }
    return visible(String(decoding: data, as: UTF8.self))
  }

  /// What the encoder leaves as it is and a terminal would act on, as `\uXXXX`: it stands in
  /// strings only, and means the same there.
  static func visible(_ text: String) -> String {
    var shown = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned:
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          shown += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }
}
