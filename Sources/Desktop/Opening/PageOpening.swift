/// What came of opening a page, where nothing says that it failed.
package enum PageOpening: Sendable, Equatable {
  /// The desktop says that it opened.
  case opened
  /// It was handed over, and nobody can say what became of it: an opener's good end says nothing
  /// (old versions claim success and open nothing).
  case unknown
}

/// No page was opened: it has to be opened by hand.
package struct PageUnavailable: Error, Sendable, Equatable {
  package enum Reason: String, Sendable, CaseIterable {
    /// There is no graphical session here, or it is another person's end of SSH.
    case noDisplay = "NO_DISPLAY"
    /// Neither the desktop's portal nor `xdg-open` is there.
    case noOpener = "NO_OPENER"
    /// No program is set for web pages.
    case noBrowser = "NO_BROWSER"
    /// The person closed the desktop's question.
    case cancelled = "CANCELLED"
    /// The desktop tried and could not.
    case failed = "FAILED"
  }

  package let reason: Reason

  package init(_ reason: Reason) { self.reason = reason }

  /// Why, in words.
  package var sentence: String {
    switch reason {
    case .noDisplay: "There is no graphical session here."
    case .noOpener: "There is neither a desktop portal nor xdg-open."
    case .noBrowser: "No web browser is set as the default."
    case .cancelled: "The desktop's question about the browser was closed."
    case .failed: "The desktop could not open it."
    }
  }
}
