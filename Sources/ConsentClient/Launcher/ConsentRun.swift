import EventLoop
import MeroConsent

/// One request on its way to a decision: through the daemon, or without it.
@LoopActor protocol ConsentRun: AnyObject, Sendable {
  nonisolated var started: ConsentStarted { get }

  /// Who is told of returns that confirm nothing, until `end()`.
  var refused: ConsentLauncher.Refused? { get set }

  /// - Throws: `BROWSER_UNAVAILABLE`, with the request as `started`.
  func openPage() async throws(BrokerError)

  /// Waits for it. A cancelled task throws a cancellation.
  func decision() async throws(BrokerError) -> ConsentResult

  /// The decision now; pending where it cannot be read within `StandingLimits.time`.
  func standing() async -> ConsentResult

  /// Confirms a return that the app received itself.
  func confirm(returned url: String) async throws(BrokerError) -> ConsentResult

  /// Nobody waits for the decision any more.
  func end()
}

extension ConsentRun {
  func tell(_ refused: ConsentLauncher.Refused?) { self.refused = refused }

  nonisolated var pending: ConsentResult {
    ConsentResult(
      requestId: started.requestId, kind: started.kind, status: .pending, outcome: nil)
  }

  /// The first answer of `read`, for a person who has closed a window and waits for it to go away.
  func soon(
    _ read: @escaping @LoopActor @Sendable () async -> ConsentResult?
  ) async -> ConsentResult {
    let reading = Task { await read() }
    let timer = LoopTimer()
    timer.arm(after: StandingLimits.time) { reading.cancel() }
    defer { timer.disarm() }
    return await reading.value ?? pending
  }
}

enum StandingLimits {
  /// How long a last look at a request may take.
  static let time: Duration = .seconds(3)
}
