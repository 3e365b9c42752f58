/// The few pieces of HTML that the pages are made of.
package enum HTML {
  /// Text as it may stand between tags and in a quoted attribute.
  package static func escape(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      // What turns text around or hides in it would show a person something else than is asked.
      case _ where isInvisible(scalar): escaped += "&#xFFFD;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// A whole document; `body` is HTML, `title` is text.
  package static func document(title: String, body: String) -> String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(escape(title))</title>
    <style>
    body { font: 1.1em/1.5 system-ui, sans-serif; max-width: 34em; margin: 3em auto; padding: 0 1em }
    .code { font: 2em ui-monospace, monospace; letter-spacing: .1em }
    dt { font-weight: bold } dd { margin: 0 0 .5em; overflow-wrap: anywhere }
    button { font: inherit; padding: .5em 1.5em; margin-right: 1em }
    </style>
    </head>
    <body>
    \(body)
    </body>
    </html>

    """
  }

  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control: scalar != "\n" && scalar != "\t"
    case .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: false
    }
  }
}
