/// A file of cases, as the data's README describes it.
struct CaseFile: Decodable {
  let cases: [Case]
  let convergence: [ConvergenceRow]?
}

struct Case: Decodable {
  let id: String
  /// A file of the data directory; or `quoteB64`.
  let quote: String?
  let quoteB64: String?
  /// A file of the data directory; absent for a node that sent none.
  let collateral: String?
  let now: Int64
  /// The trust anchor's file, DER or PEM; Intel's root when absent.
  let root: String?
  let quoteEdits: [QuoteEdit]?
  let collateralEdits: [CollateralEdit]?
  let policy: Policy?
  let expect: Expectation
}

/// A change of bytes.
struct QuoteEdit: Decodable {
  let op: String
  let offset: Int?
  let mask: String?
  let hex: String?
  let length: Int?
}

/// A change of one field of the collateral.
struct CollateralEdit: Decodable {
  let op: String
  let field: String
  let value: JSONValue?
  /// The collateral file that the field is copied from.
  let from: String?
  let find: String?
  let with: String?
  let offset: Int?
  let mask: String?
  let hex: String?
  let length: Int?

  /// The part of it that changes bytes.
  var bytes: QuoteEdit {
    QuoteEdit(op: op, offset: offset, mask: mask, hex: hex, length: length)
  }
}

struct Policy: Decodable {
  struct Release: Decodable {
    let file: String
    let profile: String
  }

  let releases: [Release]
  let nonce: String
  let transportKey: String
  let applicationHash: String?
  let allowedTcbStatuses: [String]?
  let acceptMock: Bool?
}

struct Expectation: Decodable {
  let ok: Bool
  /// Absent where any refusal is right.
  let failure: String?
  /// Whether an accepted quote is a mock.
  let mock: Bool?
  let status: String?
  let advisoryIds: [String]?
  let measurements: [String: String]?
  let reportData: String?
}

/// Which status comes of a platform, a module (`null`: version 0) and a QE status.
struct ConvergenceRow: Decodable {
  let platform: String
  let module: String?
  let qe: String
  let status: String
}
