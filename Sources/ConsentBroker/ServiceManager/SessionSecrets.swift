import Desktop
package import EventLoop
import FoundationEssentials
import MeroConsent

/// The tokens of open sessions where a crash or a restart of this process leaves them: in secret
/// memory that the service manager holds for us. Nothing of it is ever on a disk.
///
/// Each session has one descriptor in the manager's store, named `<session>.<number>`. New tokens
/// are written into the same memory; memory that has become too small is replaced, the new one
/// stored before the old one is dropped, so that there is no moment without.
///
/// A store that has room for fewer keeps the sessions whose tokens are the newest. The manager
/// says nothing of what it does not take, so its limit is asked for.
@LoopActor package final class SessionSecrets {
  /// A descriptor with the name under which the manager has it.
  package final class Stored: Sendable {
    let name: String
    let descriptor: OwnedDescriptor

    init(name: String, descriptor: consuming OwnedDescriptor) {
      self.name = name
      self.descriptor = descriptor
    }
  }

  /// The manager's side of the store.
  package protocol Store {
    /// - Returns: false where nobody keeps it.
    @LoopActor func store(_ descriptor: borrowing OwnedDescriptor, named name: String) -> Bool
    @LoopActor func removeStored(named name: String)
    /// How many it keeps at most; `nil` where that cannot be known.
    @LoopActor func limit() async -> Int?
  }

  private struct Kept {
    let stored: Stored
    let capacity: Int
    var version: UInt64
    let number: Int
    /// Grows with each time that tokens are kept.
    var place: UInt64
  }

  /// Capacities are whole steps, so that a somewhat longer token fits into the same memory.
  private static let step = 2048
  /// Bytes of the largest memory that we make.
  private static let largest = SecretRecord.size(capacity(SecretContent.longest))

  private static func capacity(_ count: Int) -> Int { (count / step + 1) * step }

  private let store: any Store
  private let log: Log
  private var arrived: [Stored]
  private var kept: [String: Kept] = [:]
  private var lastPlace: UInt64 = 0
  private var limit = Int.max
  private var isLimitAsked = false
  /// Told how many the store has room for, when there are more.
  package var onOverflow: (@LoopActor (_ limit: Int) -> Void)?

  /// - Parameter arrived: what came back from the store at this start.
  package init(_ arrived: [Stored], store: any Store, log: Log) {
    self.arrived = arrived
    self.store = store
    self.log = log
  }

  // MARK: After a start

  /// The tokens of these open sessions, as far as they came back whole. Everything else that came
  /// back is dropped: foreign, damaged, doubled, or of a session that is closed.
  func recover(_ sessions: Set<String>) -> [String: KeptTokens] {
    var found: [String: (tokens: KeptTokens, kept: Kept)] = [:]
    var dropped: [Stored] = []
    for stored in arrived {
      guard let (tokens, kept) = Self.read(stored, of: sessions) else {
        dropped.append(stored)
        continue
      }
      let session = Self.session(of: stored.name)
      guard let other = found[session] else {
        found[session] = (tokens, kept)
        continue
      }
      // A kill between storing the new and dropping the old leaves both.
      let isNewer = kept.version > other.kept.version
      dropped.append(isNewer ? other.kept.stored : stored)
      if isNewer { found[session] = (tokens, kept) }
    }
    arrived = []
    let names = Set(found.values.map(\.kept.stored.name))
    for stored in dropped where !names.contains(stored.name) {
      drop(stored)
    }
    kept = found.mapValues(\.kept)
    // The manager drops by name alone. Of two with one name, the one to keep gets another.
    for stored in dropped where names.contains(stored.name) {
      let session = Self.session(of: stored.name)
      if let tokens = found[session]?.tokens { replace(tokens, of: session) }
    }
    if !dropped.isEmpty {
      log.warning("dropped stored secrets that are no open session's", .count(dropped.count))
    }
    return found.mapValues(\.tokens)
  }

  private static func read(
    _ stored: Stored, of sessions: Set<String>
  ) -> (KeptTokens, Kept)? {
    let session = session(of: stored.name)
    guard sessions.contains(session), let number = Int(stored.name.dropFirst(session.count + 1)),
      SecretMemory.isSecret(stored.descriptor, atMost: Self.largest),
      let copy = try? stored.descriptor.duplicate(),
      let record = try? SecretRecord(adopting: copy), let bytes = record.read(),
      let content = SecretContent.decode(bytes), content.session == session
    else { return nil }
    let kept = Kept(
      stored: stored, capacity: record.capacity, version: record.version, number: number, place: 0)
    return (content.kept, kept)
  }

  /// The part before the dot. A session's name has none.
  private static func session(of name: String) -> String {
    String(name.prefix { $0 != "." })
  }

  // MARK: While sessions are open

  /// Keeps a session's newest tokens.
  ///
  /// - Parameter read: the hash of what the configuration has for the session; `nil` for an app's.
  func keep(_ tokens: SessionTokens, of session: String, read: [UInt8]? = nil) {
    let tokens = KeptTokens(tokens: tokens, read: read)
    let bytes = SecretContent.encode(tokens, of: session)
    guard let now = kept[session], bytes.count <= now.capacity else {
      return replace(tokens, of: session)
    }
    // Mapped for this moment only: locked memory is scarce, and descriptors are not.
    guard let copy = try? now.stored.descriptor.duplicate(),
      var record = try? SecretRecord(adopting: copy),
      record.write(bytes, version: now.version + 1)
    else { return replace(tokens, of: session) }
    kept[session]?.version += 1
    kept[session]?.place = nextPlace()
  }

  private func nextPlace() -> UInt64 {
    lastPlace += 1
    return lastPlace
  }

  /// Wipes what is kept of a session, whoever still holds it, and has it dropped.
  func forget(_ session: String) {
    guard let old = kept.removeValue(forKey: session) else { return }
    drop(old.stored)
  }

  /// Asks for the limit when there is something to keep, once.
  private func askForLimit() {
    guard !isLimitAsked else { return }
    isLimitAsked = true
    Task {
      guard let limit = await store.limit() else { return }
      self.limit = limit
      guard kept.count > limit else { return }
      makeRoom(for: 0)
      // What came when it was full is not there.
      for kept in kept.values {
        store.removeStored(named: kept.stored.name)
        _ = store.store(kept.stored.descriptor, named: kept.stored.name)
      }
    }
  }

  /// Lets go of those whose tokens are the oldest.
  private func makeRoom(for count: Int) {
    let surplus = kept.count + count - limit
    guard surplus > 0 else { return }
    let oldestFirst = kept.sorted { ($0.value.place, $0.key) < ($1.value.place, $1.key) }
    for (session, _) in oldestFirst.prefix(surplus) { letGo(session) }
  }

  private func letGo(_ session: String) {
    forget(session)
    guard limit > 0 else { return }
    log.warning(
      "the service manager's store has room for \(limit) sessions: this one's tokens do not outlive "
        + "a restart", .session(session))
    onOverflow?(limit)
  }

  private func replace(_ tokens: KeptTokens, of session: String) {
    askForLimit()
    let old = kept[session]
    // In a full store the old one is in the way.
    let isFull = kept.count >= limit
    if isFull { forget(session) }
    if kept[session] == nil { makeRoom(for: 1) }
    guard limit > 0 else { return }
    let bytes = SecretContent.encode(tokens, of: session)
    let capacity = Self.capacity(bytes.count)
    let version = (old?.version ?? 0) + 1
    do throws(SystemError) {
      var record = try SecretRecord(capacity: capacity)
      _ = record.write(bytes, version: version)
      let number = (old?.number ?? 0) + 1
      let stored = Stored(
        name: "\(session).\(number)", descriptor: try record.memory.descriptor.duplicate())
      // Where nobody takes it, what is kept of the session is not the newest either.
      kept[session] =
        store.store(stored.descriptor, named: stored.name)
        ? Kept(
          stored: stored, capacity: capacity, version: version, number: number, place: nextPlace())
        : nil
    } catch {
      // What is kept of the session is not the newest: after a restart the app is asked.
      kept[session] = nil
      log.warning("a session's tokens cannot be kept over a restart: \(error)", .session(session))
    }
    if let old, !isFull { drop(old.stored) }
  }

  private func drop(_ stored: Stored) {
    if SecretMemory.isSecret(stored.descriptor, atMost: Self.largest),
      let copy = try? stored.descriptor.duplicate(), var record = try? SecretRecord(adopting: copy)
    {
      record.wipe()
    }
    store.removeStored(named: stored.name)
  }
}

extension ServiceNotifier: SessionSecrets.Store {
  private static let patience: Duration = .seconds(5)

  package func limit() async -> Int? {
    guard let bus = try? SessionBus(ProcessInfo.processInfo.environment) else { return nil }
    defer { bus.close() }
    return try? await UserManager(on: bus).descriptorStoreLimit(until: .now + Self.patience)
  }
}
