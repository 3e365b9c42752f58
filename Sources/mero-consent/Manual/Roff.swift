/// Text for man(7).
enum Roff {
  /// One line of text as it is to be read.
  static func text(_ text: String) -> String {
    var out = ""
    for letter in text {
      switch letter {
      case "\\": out += "\\e"
      case "-": out += "\\-"
      case "“": out += "\\(lq"
      case "”": out += "\\(rq"
      case "…": out += "\\&..."
      default: out.append(letter)
      }
    }
    // A line that begins with one of these would be a command.
    return out.first == "." || out.first == "'" ? "\\&" + out : out
  }

  static func bold(_ text: String) -> String { "\\fB\(Self.text(text))\\fP" }
  static func italic(_ text: String) -> String { "\\fI\(Self.text(text))\\fP" }

  /// A term with its explanation below.
  static func term(_ term: String, _ explanation: String) -> [String] {
    [".TP", term, text(explanation)]
  }

  static func section(_ title: String) -> String { ".SH " + quoted(title) }
  static func subsection(_ title: String) -> String { ".SS " + quoted(title) }

  private static func quoted(_ text: String) -> String {
    let inner = Self.text(text)
    return inner.contains(" ") ? "\"\(inner)\"" : inner
  }
}
