/// Text in columns.
enum Layout {
  /// How many columns a text takes on a terminal; our own colours take none.
  static func width(_ text: String) -> Int {
    var columns = 0
    var isColour = false
    for scalar in text.unicodeScalars {
      if scalar == "\u{1b}" {
        isColour = true
      } else if isColour {
        isColour = scalar != "m"
      } else {
        columns += width(scalar)
      }
    }
    return columns
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    // Unicode's wide and fullwidth characters (UAX #11), in whole blocks.
    switch scalar.value {
    case 0x1100...0x115f, 0x2e80...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
      0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1f64f, 0x1f900...0x1f9ff, 0x20000...0x3fffd:
      return 2
    default: return 1
    }
  }

  static func padded(_ text: String, to columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - width(text)))
  }

  /// Cut to `columns`, with a sign that it was.
  static func cut(_ text: String, to columns: Int) -> String {
    guard width(text) > columns else { return text }
    var (kept, used) = ("", 1)
    for scalar in text.unicodeScalars {
      used += width(scalar)
      guard used <= columns else { break }
      kept.unicodeScalars.append(scalar)
    }
    return kept + "…"
  }

  /// A paragraph in lines of at most `columns`; a word that is longer has a line of its own.
  static func wrapped(
    _ text: String, columns: Int, first: String = "", indent: String = ""
  ) -> [String] {
    var lines: [String] = []
    var line = first
    var hasWord = false
    for word in text.split(separator: " ") {
      if hasWord, width(line) + 1 + width(String(word)) > columns {
        lines.append(line)
        (line, hasWord) = (indent, false)
      }
      line += (hasWord ? " " : "") + word
      hasWord = true
    }
    return lines + [line]
  }

  /// Terms with their explanations: beside them where there is room, else below.
  static func terms(_ rows: [(term: String, text: String)], columns: Int) -> [String] {
    let widest = rows.map { width($0.term) }.filter { $0 <= 28 }.max() ?? 0
    let start = columns >= 60 ? widest + 4 : 6
    let indent = String(repeating: " ", count: start)
    return rows.flatMap { row in
      let term = "  " + row.term
      if columns >= 60, width(term) + 2 <= start {
        return wrapped(row.text, columns: columns, first: padded(term, to: start), indent: indent)
      }
      return [term] + wrapped(row.text, columns: columns, first: indent, indent: indent)
    }
  }

  /// Rows below a heading, each column as wide as its widest cell, the last as it is.
  static func table(_ heading: [String], _ rows: [[String]]) -> [String] {
    let all = [heading] + rows
    let widths = heading.indices.map { column in
      all.map { column < $0.count ? width($0[column]) : 0 }.max() ?? 0
    }
    return all.map { row in
      row.enumerated().map { column, cell in
        column == row.count - 1 ? cell : padded(cell, to: widths[column] + 2)
      }.joined()
    }
  }
}
