import EventLoop
import FoundationEssentials

/// A verdict that was told before the ledger could take it. Nothing in it is secret: of an outcome
/// it has what the ledger would.
struct VerdictNote: Codable, Sendable {
  let number: Int64
  let session: String
  let requestId: String
  /// `approved` or `declined`.
  let state: String
  /// Milliseconds since 1970, as the ledger keeps times.
  let at: Int64
  let outcome: String?
  let lastReturnAt: Int64?
  let lastReturnCode: String?

  init(_ row: RequestRow, _ ending: RequestEnding) {
    (number, session, requestId) = (row.number, row.session, row.requestId)
    (state, at, outcome) = (ending.state.rawValue, ending.at.ledgerTime, ending.outcome?.text)
    lastReturnAt = ending.lastReturn?.at.ledgerTime
    lastReturnCode = ending.lastReturn?.code
  }

  /// `nil` for what is no decision.
  var ending: RequestEnding? {
    guard let state = RequestState(rawValue: state), state.isDecision else { return nil }
    var ending = RequestEnding(
      state: state, at: Date(ledgerTime: at), outcome: outcome.map(StoredOutcome.init(text:)))
    if let lastReturnAt, let lastReturnCode {
      ending.lastReturn = LastReturn(at: Date(ledgerTime: lastReturnAt), code: lastReturnCode)
    }
    return ending
  }
}

/// Where verdicts are written while the disk of the ledger takes none: a directory below the runtime
/// directory, which is in memory, and so outlives a crash of the daemon but no logout. It belongs to
/// one ledger. One file for each, named by the request's number.
struct VerdictNotes: Sendable {
  let directory: String

  init(in parent: String) { directory = parent + "/unwritten" }

  /// A verdict's outcome may hold many names.
  private static let limit = 1 << 20

  func keep(_ note: VerdictNote) throws {
    let bytes = try JSONEncoder().encode(note)
    try Files.makeDirectories(directory, mode: 0o700)
    try Files.replace(path(of: note.number), with: Array(bytes), mode: 0o600)
  }

  func forget(_ number: Int64) { try? Files.unlink(path(of: number)) }

  /// All that can be read, in no order. What cannot is removed: nothing was told of it.
  func all() -> [VerdictNote] {
    var notes: [VerdictNote] = []
    for name in (try? Files.names(in: directory)) ?? [] {
      let path = "\(directory)/\(name)"
      if let bytes = try? Files.read(path, limit: Self.limit),
        let note = try? JSONDecoder().decode(VerdictNote.self, from: Data(bytes)),
        self.path(of: note.number) == path
      {
        notes.append(note)
      } else {
        try? Files.unlink(path)
      }
    }
    return notes
  }

  private func path(of number: Int64) -> String { "\(directory)/\(number)" }
}
