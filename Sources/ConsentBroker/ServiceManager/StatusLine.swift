import EventLoop

/// The line of `systemctl status`: how many, and what is missing. Nothing that is anybody's.
@LoopActor final class StatusLine {
  /// What holds it back: a busy daemon tells its counts once in this time.
  private static let pause: Duration = .seconds(1)

  private let send: @LoopActor (String) -> Void
  private let text: @LoopActor () -> String
  private let timer = LoopTimer()
  private var sent = ""

  init(
    send: @escaping @LoopActor (String) -> Void, text: @escaping @LoopActor () -> String
  ) {
    self.send = send
    self.text = text
  }

  /// The first change is told at once, those that follow it together.
  func change() {
    guard !timer.isArmed else { return }
    tell()
    timer.arm(after: Self.pause) { [weak self] in self?.tell() }
  }

  func stop() { timer.disarm() }

  private func tell() {
    let now = text()
    guard now != sent else { return }
    sent = now
    send(now)
  }

  /// “2 sessions, 1 undecided request, callback on port 17463”, and what a person should mend.
  static func text(_ status: StatusView, port: UInt16?, faults: [String]) -> String {
    let counts = [
      counted(status.sessions, "session"), counted(status.undecidedRequests, "undecided request"),
      port.map { "callback on port \($0)" } ?? "no callback",
    ].joined(separator: ", ")
    let state = status.state == .readOnly ? [unwritable(status)] : []
    return ([counts] + state + faults).joined(separator: "; ")
  }

  private static func unwritable(_ status: StatusView) -> String {
    let why = status.obstacle.map { ": \($0)" } ?? ""
    let waiting = status.unwritten == 0 ? "" : ", \(counted(status.unwritten, "verdict")) waiting"
    return "the record of requests cannot be written\(why)\(waiting)"
  }

  private static func counted(_ number: Int, _ what: String) -> String {
    "\(number) \(what)\(number == 1 ? "" : "s")"
  }
}
