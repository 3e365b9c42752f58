import MeroConsent

/// What one look found.
struct Finding: Sendable, Equatable, Encodable {
  enum State: String, Sendable, Encodable {
    case ok
    /// Nothing is broken, and something is missing that is good to have.
    case note
    /// It does not work.
    case fault
  }

  /// What was looked at: `socket`.
  let name: String
  let state: State
  /// Half a sentence.
  let text: String
  /// What to do about it.
  let mend: String?

  static func ok(_ name: String, _ text: String) -> Finding {
    Finding(name: name, state: .ok, text: text, mend: nil)
  }

  static func note(_ name: String, _ text: String, mend: String?) -> Finding {
    Finding(name: name, state: .note, text: text, mend: mend)
  }

  static func fault(_ name: String, _ text: String, mend: String) -> Finding {
    Finding(name: name, state: .fault, text: text, mend: mend)
  }

  func lines(_ style: Style) -> [String] {
    let mark =
      switch state {
      case .ok: style.green("ok   ")
      case .note: style.yellow("note ")
      case .fault: style.red("fault")
      }
    let line = "\(mark)  \(Layout.padded(escaped(name), to: 18))\(escaped(text))"
    return [line] + (mend.map { ["       → " + escaped($0)] } ?? [])
  }
}
