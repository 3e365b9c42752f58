import FoundationEssentials

@testable import ConsentBroker

/// Rows for tests, each with what a test wants to differ.
enum Sample {
  static let time = Date(timeIntervalSince1970: 1_796_000_000)

  static func session(_ id: String = "s_one") -> SessionRow {
    SessionRow(
      id: id, keyHash: Array(repeating: 7, count: 32), package: "com.example.notes",
      account: String(repeating: "a", count: 64), nodeURL: "https://node.example/node-7",
      trust: #"{"development":true}"#, origins: ["https://notes.example", "https://n.example"],
      returnTo: nil, createdAt: time, usedAt: time)
  }

  static func starting(
    _ name: String, session: String = "s_one", idempotency: Idempotency? = nil,
    at created: Date = time
  ) -> RequestRow {
    RequestRow(
      session: session, requestId: "starting-\(name)", ticket: "ticket-\(session)-\(name)",
      kind: "createOrg", state: .starting, createdAt: created, idempotency: idempotency)
  }

  static func start(_ id: String) -> RequestStart {
    RequestStart(
      requestId: id, code: "7QF2-XK", url: "https://node.example/consent/\(id)",
      expiresAt: time.addingTimeInterval(300), nodeExpiresAt: time.addingTimeInterval(300),
      lifetimeCut: false)
  }
}

extension Ledger {
  /// Inserts a row and gives it what a node answers.
  func started(
    _ id: String, session: String = "s_one", at created: Date = Sample.time
  ) async throws -> RequestRow {
    guard
      case .inserted(let row, _) = try await insert(
        Sample.starting(id, session: session, at: created)),
      case .started(let change) = try await start(row.number, Sample.start(id), at: created)
    else { throw LedgerError.failed("the sample was not started") }
    return change.row
  }
}

extension Ledger {
  /// As a disk would that has no room for this one verdict.
  func refuseApprovals() async throws(LedgerError) {
    try await write { connection throws(LedgerError) in
      try connection.execute(
        """
        CREATE TEMP TRIGGER refuse BEFORE UPDATE ON main.requests WHEN new.state = 'approved'
          BEGIN SELECT raise(ABORT, 'no room for this one'); END
        """)
    }
  }

  /// As a disk would that has no room for what the node has taken.
  func refuseStarts() async throws(LedgerError) {
    try await write { connection throws(LedgerError) in
      try connection.execute(
        """
        CREATE TEMP TRIGGER refuseStarts BEFORE UPDATE ON main.requests WHEN new.state = 'started'
          BEGIN SELECT raise(ABORT, 'no room for this one'); END
        """)
    }
  }

  func takeApprovals() async throws(LedgerError) {
    try await write { connection throws(LedgerError) in
      try connection.execute("DROP TRIGGER refuse")
    }
  }

  /// As a disk would that has no room for one more session.
  func refuseSessions() async throws(LedgerError) {
    try await write { connection throws(LedgerError) in
      try connection.execute(
        """
        CREATE TEMP TRIGGER refuseSessions BEFORE INSERT ON main.sessions
          BEGIN SELECT raise(ABORT, 'no room for this one'); END
        """)
    }
  }

  func takeSessions() async throws(LedgerError) {
    try await write { connection throws(LedgerError) in
      try connection.execute("DROP TRIGGER refuseSessions")
    }
  }
}
