import EventLoop
import HTTP

/// One app's wait for a change of one request.
@LoopActor final class Wait {
  let session: Session
  /// What the app has.
  let etag: String
  let group: WaitGroup
  /// Where it is in its group.
  var position = 0
  private let timer = LoopTimer()
  private var onEnd: (@LoopActor (End) -> Void)?

  /// How a wait ends.
  enum End {
    case changed(SharedView)
    /// Its time is up, or nobody wants it any more.
    case unchanged
    case failed(Problem)
  }

  init(
    _ etag: String, in group: WaitGroup, until deadline: BootInstant,
    onEnd: @escaping @LoopActor (End) -> Void
  ) {
    self.etag = etag
    self.group = group
    self.onEnd = onEnd
    session = group.session
    timer.arm(at: deadline) { [weak self] in self?.end(.unchanged) }
  }

  /// Tells its app, and leaves. Only the first call counts.
  func end(_ end: End) {
    guard let onEnd else { return }
    self.onEnd = nil
    timer.disarm()
    group.remove(self)
    onEnd(end)
  }
}

/// What a request looks like, for everybody who asks or is told while it looks like this.
@LoopActor final class SharedView {
  let view: RequestView
  let etag: String
  /// What the edge has made of it, made once for all: at once, and after a wait of so many seconds.
  var reply: HTTPReply?
  var answersAfterWaiting: [Int: HTTPResponse] = [:]

  init(_ view: RequestView) {
    self.view = view
    etag = view.etag
  }
}

/// All who wait for one request.
@LoopActor final class WaitGroup {
  let session: Session
  let requestId: String
  private var waits: [Wait] = []
  /// Called when one has left.
  private let onLeave: @LoopActor (WaitGroup) -> Void
  /// Something has changed since the last look.
  var isChanged = false
  var isLooking = false
  private let timer = LoopTimer()
  private var pause: Duration = .seconds(1)

  init(
    _ requestId: String, of session: Session, onLeave: @escaping @LoopActor (WaitGroup) -> Void
  ) {
    self.requestId = requestId
    self.session = session
    self.onLeave = onLeave
  }

  var isEmpty: Bool { waits.isEmpty }

  func add(_ wait: Wait) {
    wait.position = waits.count
    waits.append(wait)
  }

  func remove(_ wait: Wait) {
    let last = waits.removeLast()
    if last !== wait {
      waits[wait.position] = last
      last.position = wait.position
    }
    onLeave(self)
  }

  /// Has `look` called after a pause, which doubles up to 15 s, as long as anybody waits.
  func lookLater(_ look: @escaping @LoopActor (WaitGroup) -> Void) {
    guard !isEmpty else { return }
    timer.arm(after: pause) { [weak self] in
      if let self, !isEmpty { look(self) }
    }
    pause = min(pause * 2, .seconds(15))
  }

  func contains(where isMeant: (Wait) -> Bool) -> Bool { waits.contains(where: isMeant) }

  /// How many are told before others have their turn.
  private static let batch = 64

  /// Ends the waits that `isMeant`.
  func end(with end: Wait.End, where isMeant: (Wait) -> Bool = { _ in true }) async {
    var left = waits.filter(isMeant)[...]
    while !left.isEmpty {
      for wait in left.prefix(Self.batch) { wait.end(end) }
      left = left.dropFirst(Self.batch)
      await Task.yield()
    }
  }
}
