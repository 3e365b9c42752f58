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
  ///
  /// - Parameter destination: where the browser goes on to by itself, at once.
  package static func document(title: String, body: String, destination: String? = nil) -> String {
    let refresh = destination.map {
      "<meta http-equiv=\"refresh\" content=\"0;url=\(escape($0))\">\n"
    }
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <title>\(escape(title)) – development node</title>
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      \(refresh ?? "")<style>\(style)</style>
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

  /// System fonts and colours, so that nothing is loaded. Both buttons are of one size and look
  /// alike: the page takes no side.
  private static let style = """
    :root{color-scheme:light dark;--ground:#f4f5f7;--card:#fff;--text:#1b1f24;--soft:#4a525c;\
    --line:#d5dae0;--edge:#767f89;--act:#1f4fb8}
    @media(prefers-color-scheme:dark){:root{--ground:#14171b;--card:#1e2227;--text:#eef1f4;\
    --soft:#b6bec8;--line:#3a414a;--edge:#8a939d;--act:#a8c4ff}}
    *{box-sizing:border-box}
    body{margin:0;min-height:100vh;min-height:100dvh;display:flex;align-items:center;\
    justify-content:center;padding:1.25rem;background:var(--ground);color:var(--text);\
    font:1.0625rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;\
    overflow-wrap:anywhere}
    main{width:100%;max-width:31rem;padding:1.75rem;background:var(--card);\
    border:1px solid var(--line);border-radius:1rem}
    h1{margin:0 0 .75rem;font-size:1.5rem;line-height:1.25;text-wrap:balance}
    p,dl{margin:0 0 1rem}
    dt{color:var(--soft);font-size:.9375rem}
    dd{margin:0 0 .5rem;font-weight:600}
    .code{padding:.75rem;border:1px solid var(--line);border-radius:.75rem;text-align:center;\
    font:600 2rem/1.25 ui-monospace,monospace;letter-spacing:.1em}
    form{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.25rem 0}
    button,.button{flex:1 1 7rem;min-height:2.75rem;padding:.5rem 1rem;border:.125rem solid \
    var(--edge);border-radius:.75rem;background:var(--card);color:var(--text);font:inherit;\
    font-weight:600;text-align:center;text-decoration:none;cursor:pointer}
    .button{display:block}
    button:hover,.button:hover{border-color:var(--act)}
    button:focus-visible,.button:focus-visible{outline:.1875rem solid var(--act);\
    outline-offset:.1875rem}
    .aside{margin:0;padding-top:1rem;border-top:1px solid var(--line);color:var(--soft);\
    font-size:.9375rem}

    """
}
