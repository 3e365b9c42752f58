import EventLoop

extension Broker {
  /// Has `onEnd` called as soon as the request's tag is not `etag`, at the latest at `deadline`,
  /// and never within this call.
  ///
  /// - Parameter isCurrent: whether `etag` is the request's at this very moment; otherwise the
  ///   request is looked at first, so that no change falls between two looks.
  func wait(
    for requestId: String, changedFrom etag: String, isCurrent: Bool, until deadline: BootInstant,
    for caller: Caller, onEnd: @escaping @LoopActor (Wait.End) -> Void
  ) throws(Problem) -> Wait {
    let session = try session(caller)
    guard session.waits < settings.waits.ofASession, waits.count < settings.waits.all else {
      throw .tooMany(.waits, retryAfter: 5)
    }
    let wait = waits.enter(requestId, of: session, has: etag, until: deadline, onEnd: onEnd)
    if let request = live.of(requestId: requestId, session: session) { watcher.attend(request) }
    if !isCurrent { waits.signal(wait.group) }
    return wait
  }

  /// Tells everybody who waits for a request what it has become, unless that is what they have.
  func tell(_ group: WaitGroup) async {
    let session = group.session
    do throws(Problem) {
      guard try self.session(Caller(session: session.id)) === session else { throw .noSession }
      guard let row = try await row(group.requestId, of: session) else { throw .notFound }
      let etag = OpaqueID(view(of: row, in: session).etag)
      guard group.contains(where: { OpaqueID($0.etag) != etag }) else { return }
      let shared = SharedView(try await fullView(of: row, in: session))
      // An outcome that could not be read again looks as it did after the last try.
      let known = OpaqueID(shared.etag)
      await group.end(with: .changed(shared)) { OpaqueID($0.etag) != known }
      // Nothing else asks the node for it.
      if shared.view.outcomeIsMissing { group.lookLater { [waits] in waits.signal($0) } }
    } catch {
      await group.end(with: .failed(error))
    }
  }
}

/// How many may wait at the same time.
package struct WaitLimits: Sendable, Equatable {
  package let all: Int
  package let ofASession: Int

  /// Each wait holds a connection: half of them stay for those who do not wait, and no session
  /// takes more than an eighth of the waits.
  package init(connections: Int) {
    all = connections / 2
    ofASession = max(1, all / 8)
  }
}
