import FoundationEssentials
import MeroConsent

/// An outcome as the ledger keeps it: never one that is a credential.
struct StoredOutcome: Sendable, Equatable {
  /// JSON, its keys sorted; empty where it was left out.
  let text: String
  /// Bytes of the text, also of one that was left out.
  let byteCount: Int
  /// `nil` where the text is none of an outcome, and of a long one: that is told as it is written,
  /// since to read it takes long.
  let outcome: ConsentOutcome?

  var isLong: Bool { byteCount > BrokerLimits.listedOutcome }

  /// It is long, and read only by who tells it.
  var isLeftOut: Bool { text.isEmpty && byteCount > 0 }

  /// As it was read.
  init(text: String) {
    self.text = text
    byteCount = text.utf8.count
    outcome =
      byteCount > BrokerLimits.listedOutcome
      ? nil : (try? JSONDecoder().decode(OutcomeBody.self, from: Data(text.utf8)))?.outcome
  }

  /// One that stays where it is.
  init(leftOut byteCount: Int) { (text, self.byteCount, outcome) = ("", byteCount, nil) }

  /// - Returns: `nil` for one that holds a secret.
  init?(_ outcome: ConsentOutcome) {
    guard !outcome.isSecret else { return nil }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let bytes = try? encoder.encode(OutcomeBody(outcome)) else { return nil }
    text = String(decoding: bytes, as: UTF8.self)
    byteCount = bytes.count
    self.outcome = byteCount > BrokerLimits.listedOutcome ? nil : outcome
  }

  static func == (left: Self, right: Self) -> Bool {
    left.text == right.text && left.byteCount == right.byteCount
  }
}
