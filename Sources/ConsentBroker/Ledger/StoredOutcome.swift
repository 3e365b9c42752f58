import FoundationEssentials
import MeroConsent

/// An outcome as the ledger keeps it: never one that is a credential.
struct StoredOutcome: Sendable, Equatable {
  /// JSON, its keys sorted.
  let text: String
  /// `nil` where the text is none of an outcome.
  let outcome: ConsentOutcome?

  /// A list has no room for it; it is in the answer to its request alone.
  var isLeftOut: Bool { text.isEmpty }

  /// As it was read.
  init(text: String) {
    self.text = text
    outcome = (try? JSONDecoder().decode(OutcomeBody.self, from: Data(text.utf8)))?.outcome
  }

  /// - Returns: `nil` for one that holds a secret.
  init?(_ outcome: ConsentOutcome) {
    guard !outcome.isSecret else { return nil }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let bytes = try? encoder.encode(OutcomeBody(outcome)) else { return nil }
    text = String(decoding: bytes, as: UTF8.self)
    self.outcome = outcome
  }

  static func == (left: Self, right: Self) -> Bool { left.text == right.text }
}
