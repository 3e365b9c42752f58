/// Makes control characters, line and direction marks visible (`\u{1b}`): for text from outside
/// that goes to a terminal or a log.
package func escaped(_ text: String) -> String {
  var shown = ""
  for character in text.unicodeScalars {
    switch character.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned:
      shown += "\\u{\(String(character.value, radix: 16))}"
    default: shown.unicodeScalars.append(character)
    }
  }
  return shown
}
