import EventLoop
import MeroConsent

/// Which session makes room for another one when there are as many as there may be.
///
/// Who opened a session cannot be told for certain: the kernel names a process, and processes are
/// cheap. But an app that never closes its sessions opens the same one again and again, so it is
/// the one that gives way, and no other app notices.
@LoopActor enum SessionRoom {
  /// How long a session has to be unused before it gives way to another app's.
  static let unused: Duration = .minutes(10)

  /// What an app's sessions have in common.
  private struct Kind: Hashable {
    let package: String
    let account: String?
    let node: String

    @LoopActor init(_ session: Session) {
      package = session.row.package
      account = session.row.account?.lowercased()
      node = session.row.nodeURL
    }
  }

  /// Of the app with the most sessions that nobody counts on, the one that was unused the
  /// longest; where no app has two, one that was not used for `unused`.
  ///
  /// - Returns: `nil` where each is counted on, or was used just now.
  static func choice(of sessions: some Collection<Session>, at now: AwakeInstant) -> Session? {
    let idle = sessions.filter { !$0.isConfigured && !$0.isBusy }
    let kinds = Dictionary(grouping: idle, by: { Kind($0) })
    let crowd = kinds.values.max { $0.count < $1.count } ?? []
    guard crowd.count < 2 else { return crowd.min { $0.usedAt < $1.usedAt } }
    return idle.filter { $0.usedAt + unused <= now }.min { $0.usedAt < $1.usedAt }
  }
}
