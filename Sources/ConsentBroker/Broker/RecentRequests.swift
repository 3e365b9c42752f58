import EventLoop
import FoundationEssentials

/// Finished requests that were asked for lately, as the ledger has them: an app that looks at one
/// again and again need not wait for the ledger's thread. Long outcomes stay there.
///
/// Rows hold no secret (invite tokens are `Session.secrets`). What changes a finished row, or
/// removes it, says so before and after (`willChange`, `didChange`), so that a read of the ledger
/// which was under way meanwhile keeps nothing.
@LoopActor struct RecentRequests {
  static let most = 64

  private struct Place: Hashable {
    let session: String
    let requestId: OpaqueID

    init(_ row: RequestRow) {
      session = row.session
      requestId = OpaqueID(row.requestId)
    }

    init(_ requestId: String, of session: String) {
      self.session = session
      self.requestId = OpaqueID(requestId)
    }
  }

  private struct Entry {
    let row: RequestRow
    var usedAt: UInt64
    /// What it looked like when somebody asked last.
    var shown: LiveRequest.Shown?
  }

  private var entries: [Place: Entry] = [:]
  private var places: [OpaqueID: Place] = [:]
  /// Counts uses: the entry with the smallest number was not used for the longest.
  private var uses: UInt64 = 0
  private var changes: UInt64 = 0

  init() {}

  var count: Int { entries.count }

  // MARK: Looking

  mutating func row(_ requestId: String, of session: String) -> RequestRow? {
    use(Place(requestId, of: session))
  }

  mutating func row(ticket: String) -> RequestRow? {
    places[OpaqueID(ticket)].flatMap { use($0) }
  }

  /// A view that everybody shares who asks.
  ///
  /// - Parameter make: makes it of the row; `nil` where it must not be kept.
  mutating func view(
    _ requestId: String, of session: String, needsSession: Bool, port: UInt16?,
    make: (RequestRow) -> SharedView?
  ) -> SharedView? {
    guard let index = used(Place(requestId, of: session)) else { return nil }
    if let shown = entries.values[index].shown, shown.needsSession == needsSession,
      shown.port == port
    {
      return shown.view
    }
    guard let view = make(entries.values[index].row) else { return nil }
    entries.values[index].shown = LiveRequest.Shown(
      view: view, needsSession: needsSession, port: port)
    return view
  }

  private mutating func use(_ place: Place) -> RequestRow? {
    used(place).map { entries.values[$0].row }
  }

  private mutating func used(_ place: Place) -> Dictionary<Place, Entry>.Index? {
    guard let index = entries.index(forKey: place) else { return nil }
    uses += 1
    entries.values[index].usedAt = uses
    return index
  }

  // MARK: Keeping

  /// What a read of the ledger is compared with, taken before it.
  struct Moment { fileprivate let changes: UInt64 }

  var now: Moment { Moment(changes: changes) }

  /// Keeps what a read found that began at `moment`, unless anything finished was changed since.
  mutating func keep(_ row: RequestRow, readAt moment: Moment) {
    if moment.changes == changes { keep(row) }
  }

  /// Keeps a finished row as it was just written. Who wrote it may hear of that after who wrote to
  /// it next, so that an older one changes nothing.
  mutating func keep(_ row: RequestRow) {
    guard row.state.isFinal else { return }
    let place = Place(row)
    if let known = entries[place]?.row, known.revision > row.revision { return }
    if entries[place] == nil, entries.count == Self.most { removeOldest() }
    uses += 1
    entries[place] = Entry(row: row, usedAt: uses)
    places[OpaqueID(row.ticket)] = place
  }

  private mutating func removeOldest() {
    if let oldest = entries.min(by: { $0.value.usedAt < $1.value.usedAt }) {
      remove(oldest.value.row)
    }
  }

  private mutating func remove(_ row: RequestRow) {
    entries[Place(row)] = nil
    places[OpaqueID(row.ticket)] = nil
  }

  // MARK: Changes

  /// A finished row is about to be changed or removed in the ledger.
  mutating func willChange() { changes += 1 }

  /// It was, or was not; `row` as it is now.
  mutating func didChange(to row: RequestRow?) {
    changes += 1
    if let row { keep(row) }
  }

  /// The ledger forgets what ended before `cutoff`, and changes what did after `latest`: called before
  /// and after it does.
  mutating func forget(finishedBefore cutoff: Date, orAfter latest: Date = .distantFuture) {
    changes += 1
    for entry in entries.values
    where entry.row.finishedAt.map({ $0 < cutoff || $0 > latest }) ?? true {
      remove(entry.row)
    }
  }

  /// Nobody can ask for a session's requests any more.
  mutating func forget(session: String) {
    changes += 1
    for entry in entries.values where entry.row.session == session { remove(entry.row) }
  }
}
