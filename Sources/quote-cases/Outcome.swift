import Crypto
import TDXQuote

/// What a case came to, in the terms of its expectation.
enum Outcome {
  case verified(VerifiedQuote)
  case mock(reportData: [UInt8])
  case refused(QuoteFailure)
  /// The case could not be run.
  case problem(String)

  /// Where the two differ, as text; `nil` when they agree. Fields that the expectation leaves out
  /// are not compared, and fields that agree are not told.
  func difference(from expected: Expectation) -> (expected: String, got: String)? {
    switch self {
    case .refused(let failure):
      let isRight = !expected.ok && expected.failure ?? failure.rawValue == failure.rawValue
      return isRight ? nil : (expected.summary, failure.rawValue)
    case .problem(let reason): return (expected.summary, "a case that cannot be run: \(reason)")
    case .mock, .verified:
      let fields = self.fields
      if !expected.ok {
        return (expected.summary, Self.told(fields.filter { $0.name == "status" }))
      }
      let differing = expected.fields.filter { !fields.contains($0) }
      if differing.isEmpty { return nil }
      let names = differing.map(\.name)
      return (Self.told(differing), Self.told(fields.filter { names.contains($0.name) }))
    }
  }

  private var fields: [Field] {
    switch self {
    case .verified(let quote):
      return [
        Field(name: "status", value: quote.status.rawValue),
        Field(name: "advisories", value: Set(quote.advisoryIDs).sorted().joined(separator: " ")),
      ]
        + quote.measurements.named.map { Field(name: $0.name, value: Hex.encode($0.bytes)) } + [
          Field(name: "report data", value: Hex.encode(quote.reportData)),
          Field(name: "mock", value: "false"),
        ]
    case .mock(let reportData):
      return [
        Field(name: "status", value: "Mock"), Field(name: "advisories", value: ""),
        Field(name: "report data", value: Hex.encode(reportData)),
        Field(name: "mock", value: "true"),
      ]
    case .refused, .problem: return []
    }
  }

  private static func told(_ fields: [Field]) -> String {
    (["ok"] + fields.map { "\($0.name) \($0.value.isEmpty ? "none" : $0.value)" })
      .joined(separator: ", ")
  }
}

/// One thing that an expectation may name.
struct Field: Equatable {
  let name: String
  let value: String
}

extension Expectation {
  fileprivate var summary: String { ok ? "ok, status \(status ?? "any")" : failure ?? "a failure" }

  fileprivate var fields: [Field] {
    var fields: [Field] = []
    if let status {
      // A mock has no status; a file may say so in its own way.
      let isMock = status.lowercased() == "mock"
      fields.append(Field(name: "status", value: isMock ? "Mock" : status))
    }
    if let advisoryIds {
      fields.append(
        Field(name: "advisories", value: Set(advisoryIds).sorted().joined(separator: " ")))
    }
    for (name, value) in (measurements ?? [:]).sorted(by: { $0.key < $1.key }) {
      fields.append(Field(name: name, value: value))
    }
    if let reportData { fields.append(Field(name: "report data", value: reportData)) }
    if let mock { fields.append(Field(name: "mock", value: String(mock))) }
    return fields
  }
}
