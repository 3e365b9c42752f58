import Callback
import EventLoop

/// How requests have ended lately, also those of sessions that are no more: whoever comes back from a
/// page without saying from which may come from one of theirs.
@LoopActor struct RecentEnds {
  /// A person does not look at a decision's page for longer before they go on.
  static let kept: Duration = .minutes(10)

  /// Until when each counts.
  private var until: [PageState: BootInstant] = [:]

  init() {}

  /// One that was replaced or has expired has no page that anybody decides on and comes back from.
  mutating func note(_ state: RequestState) {
    guard state.isDecision || state == .cancelled else { return }
    until[PageState(state)] = .now + Self.kept
  }

  var states: Set<PageState> {
    let now = BootInstant.now
    return Set(until.filter { $0.value > now }.keys)
  }
}
