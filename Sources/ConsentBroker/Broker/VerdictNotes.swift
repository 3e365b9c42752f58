import EventLoop
import FoundationEssentials
import Glibc

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
  /// Not in the first line of a note: behind it, as it is.
  var outcome: String?
  let lastReturnAt: Int64?
  let lastReturnCode: String?
  /// Of the row as it was told: its entity tag names no other contents. Former versions kept none.
  let revision: Int64?

  private enum CodingKeys: String, CodingKey {
    case number, session, requestId, state, at, lastReturnAt, lastReturnCode, revision
  }

  /// - Parameter revision: of the row as it is told.
  init(_ row: RequestRow, _ ending: RequestEnding, revision: Int64) {
    self.revision = revision
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

extension VerdictNote {
  /// A line of JSON, and behind it the outcome where there is one.
  var bytes: [UInt8] {
    get throws { Array(try JSONEncoder().encode(self)) + Array(("\n" + (outcome ?? "")).utf8) }
  }

  init(bytes: [UInt8]) throws {
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
    self = try JSONDecoder().decode(Self.self, from: Data(line))
    let rest = bytes[line.endIndex...].dropFirst()
    guard !rest.isEmpty else { return }
    guard let text = String(validating: rest, as: UTF8.self) else {
      throw SystemError(call: "read", code: EILSEQ)
    }
    outcome = text
  }
}

/// Where verdicts are written while the disk of the ledger takes none: a folder below the runtime
/// directory, which is in memory, and so outlives a crash of the daemon but no logout. It belongs to
/// one ledger. One file for each, named by the request's number.
struct VerdictNotes: Sendable {
  private let folder: OwnFolder

  var directory: String { folder.path }

  init(in parent: OwnFolder) { folder = parent.folder("unwritten") }

  /// Bytes of one: several times what a node's answer may have, as JSON may write a byte as six.
  static let limit = 8 << 20

  /// - Throws: `EFBIG` for what could not be read back.
  func keep(_ note: VerdictNote) throws {
    let bytes = try note.bytes
    guard bytes.count <= Self.limit else { throw SystemError(call: "write", code: EFBIG) }
    try folder.make().replace("\(note.number)", with: bytes, mode: 0o600)
  }

  /// Whether its note is still there: the runtime directory may have been removed.
  func has(_ number: Int64) -> Bool { (try? folder.open().open("\(number)", .read)) != nil }

  func forget(_ number: Int64) { try? folder.open().unlink("\(number)") }

  /// What was kept, in no order, and why some of it could not be read: that stays where it is.
  func all() -> (notes: [VerdictNote], fault: SystemError?) {
    var notes: [VerdictNote] = []
    var fault: SystemError?
    do throws(SystemError) {
      let directory = try folder.open()
      for name in try directory.names() {
        guard let number = Int64(name), name == "\(number)" else { continue }
        do {
          let note = try VerdictNote(bytes: try directory.read(name, limit: Self.limit))
          if note.number == number { notes.append(note) }
        } catch {
          // One that may pass is worth another try, whatever else there is.
          guard fault?.mayPass != true else { continue }
          fault = error as? SystemError ?? SystemError(call: "read", code: EILSEQ)
        }
      }
    } catch {
      if error.code != ENOENT { fault = error }
    }
    return (notes, fault)
  }
}
