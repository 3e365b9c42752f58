import MeroConsent

/// The pages that a person sees. They work without script and load nothing.
package enum ConsentPages {
  /// The question itself: what is asked, the code to compare, and two buttons.
  ///
  /// - Parameter action: the path that the buttons post to.
  package static func question(_ record: ConsentBook.Record, action: String) -> String {
    let words = ConsentWords(record.request)
    let details = words.details.map { name, value in
      "<dt>\(HTML.escape(name))</dt><dd>\(HTML.escape(value))</dd>"
    }
    return HTML.document(
      title: "Your decision is needed",
      body: """
        <main data-state="undecided" data-request="\(HTML.escape(record.id))">
        <h1>\(HTML.escape(words.sentence))</h1>
        <dl>
        \(details.joined(separator: "\n"))
        </dl>
        <p>Approve only if the app shows this same code:</p>
        <p class="code">\(HTML.escape(record.code))</p>
        <form method="post" action="\(HTML.escape(action))">
        <button name="decision" value="approve">Approve</button>
        <button name="decision" value="decline">Decline</button>
        </form>
        <p class="aside">This is a node for development. A real one asks for your passkey here.</p>
        </main>
        """)
  }

  /// Nothing can be decided here (any more).
  package static func refusal(_ refused: ConsentBook.Refused) -> String {
    let words =
      switch refused {
      case .unknown: ("unknown", "There is no such request", "Go back to the app and ask again.")
      case .replaced:
        (
          "replaced", "A newer request took the place of this one",
          "An account has one open request. Go back to the app and ask again."
        )
      case .expired:
        ("expired", "The time for this request is up", "Go back to the app and ask again.")
      case .decided: ("decided", "This is decided already", "You can go back to the app.")
      }
    return note(state: words.0, title: words.1, text: words.2)
  }

  /// For a request that names no place to return to.
  package static func decided(_ decision: ConsentBook.Decision) -> String {
    switch decision {
    case .approve: note(state: "approved", title: "Approved", text: "You can go back to the app.")
    case .decline:
      note(
        state: "declined", title: "Declined",
        text: "Nothing was changed. You can go back to the app.")
    }
  }

  /// The app's served page when nobody has said where the app listens.
  package static func servedPage(package name: String) -> String {
    note(
      state: "no-callback", title: "Go back to the app",
      text: "No callback is known for \(name), so this page cannot bring you there.")
  }

  /// The app's served page for an app that has a scheme of its own. It goes there by itself; the
  /// link is for browsers that want a click first, and for a second try.
  package static func openApp(at address: String) -> String {
    HTML.document(
      title: "Back to the app",
      body: """
        <main data-state="open-app">
        <h1>Back to the app</h1>
        <p>Your browser may ask whether it may open the app. If it does not ask, use this link.</p>
        <p><a class="button" href="\(HTML.escape(address))">Open the app</a></p>
        <p class="aside">This is a node for development, and this is the page that an app serves.</p>
        </main>
        """, destination: address)
  }

  package static func note(state: String, title: String, text: String) -> String {
    HTML.document(
      title: title,
      body: """
        <main data-state="\(HTML.escape(state))">
        <h1>\(HTML.escape(title))</h1>
        <p>\(HTML.escape(text))</p>
        <p class="aside">This is a node for development.</p>
        </main>
        """)
  }
}
