import FoundationEssentials

/// Says whether this machine's clock or the node's documents are the likely cause when something
/// is "not current".
struct ClockAdvice {
  /// No clock that is right shows an earlier time: this version did not exist.
  static let madeAt = Date(timeIntervalSince1970: 1_793_491_200)  // 2026-11-01
  /// Clocks that differ by less are not worth a word.
  static let tolerance: Double = 300

  let here: Date
  /// The node's `Date`, which proves nothing: it only decides what a person is told.
  let node: Date?

  /// One sentence that names the likely cause and what to do.
  ///
  /// - Parameter holdsAtNodeTime: whether everything would be accepted at that time.
  func sentence(holdsAtNodeTime: (Date) -> Bool) -> String {
    let now = Self.text(here)
    if here < Self.madeAt {
      return "This machine's clock says \(now), which cannot be: it is the likely cause. Set it."
    }
    if let node, abs(node.timeIntervalSince(here)) > Self.tolerance, holdsAtNodeTime(node) {
      return "This machine's clock says \(now) and the node's \(Self.text(node)), when it would "
        + "hold: the clock here is the likely cause. Set it."
    }
    return "If this machine's clock (\(now)) is right, the node has to fetch its collateral anew."
  }

  private static func text(_ date: Date) -> String {
    RFC3339.text(Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down)))
  }
}
