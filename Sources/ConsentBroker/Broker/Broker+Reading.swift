import EventLoop
import MeroConsent

/// Who reads the record. Each has a queue of its own, so that nobody waits behind what another one
/// asks for.
enum RecordReader: Hashable, Sendable {
  case session(String)
  /// Returns on the callback and their pages, by ticket.
  case ticket
  /// Returns that have none.
  case ticketless
}

extension Broker {
  /// Reads from the ledger, when it is this reader's turn.
  ///
  /// What is written, and the end, waits for the few reads that the ledger has, and not for those
  /// that have no turn yet.
  ///
  /// - Parameter reader: `nil` for a small read that nobody can ask for often: it waits for no turn.
  /// - Throws: `.stopping` also where the client has left before.
  func read<R: Sendable>(
    for reader: RecordReader?, _ call: (Ledger) async throws(LedgerError) -> R
  ) async throws(Problem) -> R {
    _ = try ledger()
    guard let reader else { return try await readNow(call) }
    let result = try await reads.pass(as: reader) { () async throws(Problem) in
      try await readNow(call)
    }
    guard let result else { throw .stopping }
    return result
  }

  private func readNow<R: Sendable>(
    _ call: (Ledger) async throws(LedgerError) -> R
  ) async throws(Problem) -> R {
    // It may have begun to end.
    let ledger = try ledger()
    do {
      return try await call(ledger)
    } catch {
      log.error("cannot read the record of requests: \(error.sentence)")
      let advice = "The service cannot read its record of requests: \(error.sentence)."
      throw .consent(ConsentError(.stateUnavailable, advice: advice, cause: error), requestId: nil)
    }
  }

  /// A row with its outcome also where that is long.
  ///
  /// - Throws: `.notFound` where it was removed meanwhile.
  func withLongOutcome(_ row: RequestRow, of session: Session) async throws(Problem) -> RequestRow {
    guard row.outcome?.isLeftOut == true else { return row }
    let number = row.number
    let text = try await read(for: .session(session.id)) { ledger throws(LedgerError) in
      try await ledger.outcome(of: number)
    }
    guard let text else { throw .notFound }
    var row = row
    row.outcome = StoredOutcome(text: text)
    return row
  }
}
