import ConsentClient
import EventLoop
import FoundationEssentials
import MeroConsent

/// Waits for a decision, with a line that says what for and how long it can take.
@LoopActor struct DecisionWait {
  let session: BrokerSession
  let terminal: Terminal
  /// What has to be said again to take the wait up again is in them.
  let arguments: ParsedArguments
  /// The longest wait; `nil` until the request ends.
  let timeout: Duration?

  /// What Ctrl-C is answered.
  static func farewell(_ arguments: ParsedArguments, _ requestId: String) -> [String] {
    [
      "Stopped waiting; the request goes on. Take it up again with:",
      "  " + arguments.again("wait", .session, requestId),
    ]
  }

  /// - Returns: the request as it stands; undecided where `timeout` was up.
  func decision(of known: BrokerRequest) async throws(CommandFailure) -> BrokerRequest {
    guard !known.state.isFinal, !known.needsSession else { return known }
    terminal.farewell = Self.farewell(arguments, known.requestId)
    let line = WaitLine(known, terminal)
    let clock = Task { @LoopActor in await line.run() }
    defer {
      clock.cancel()
      terminal.clearLive()
      terminal.farewell = []
    }
    if !terminal.surroundings.hasLiveLine { terminal.say(line.text) }
    return try await Daemon.call { () throws(BrokerError) in
      try await wait(for: known, line)
    }
  }

  private func wait(
    for known: BrokerRequest, _ line: WaitLine
  ) async throws(BrokerError) -> BrokerRequest {
    let session = session
    let task = Task { @LoopActor () -> Result<BrokerRequest, BrokerError> in
      do throws(BrokerError) {
        return .success(
          try await session.decision(of: known.requestId) { request in await line.saw(request) })
      } catch {
        return .failure(error)
      }
    }
    guard let timeout else { return try await task.value.get() }
    let alarm = LoopTimer()
    alarm.arm(at: .now + timeout) { task.cancel() }
    defer { alarm.disarm() }
    do throws(BrokerError) {
      return try await task.value.get()
    } catch {
      guard error.code == .callCancelled else { throw error }
      return try await session.request(known.requestId)
    }
  }
}

/// The line below which nothing is written.
@LoopActor private final class WaitLine {
  private let terminal: Terminal
  private let requestId: String
  private let expiresAt: Date?
  private var lastReturn: BrokerRequest.LastReturn?
  private var readFailure: BrokerRequest.ReadFailure?

  init(_ request: BrokerRequest, _ terminal: Terminal) {
    self.terminal = terminal
    requestId = request.requestId
    expiresAt = request.expiresAt
    lastReturn = request.lastReturn
  }

  var text: String {
    let isLive = terminal.surroundings.hasLiveLine
    // A line that is written over has no room for the id, and the lines before it name it.
    var text = "Waiting for the decision" + (isLive ? "" : " on \(escaped(requestId))")
    if let expiresAt {
      // By the node's clock, which is close to ours: what counts is what the daemon says.
      let left = Int(expiresAt.timeIntervalSinceNow.rounded(.up))
      text += left > 0 ? ", \(TimeText.countdown(left)) left" : ", time is up"
    }
    if readFailure != nil { text += "; the node cannot be read" }
    return isLive ? text + " (Ctrl-C stops waiting)" : text
  }

  func run() async {
    while !Task.isCancelled {
      terminal.live(text)
      do { try await LoopActor.sleep(for: .seconds(1)) } catch { return }
    }
  }

  func saw(_ request: BrokerRequest) {
    tellReading(request)
    tellReturn(request)
  }

  /// Tells whether it is the person who is waited for, or the node.
  private func tellReading(_ request: BrokerRequest) {
    let before = readFailure
    readFailure = request.readFailure
    guard readFailure != before, !request.state.isFinal, !request.needsSession else { return }
    if let readFailure {
      let why = request.detail ?? "The node cannot be read."
      terminal.say(escaped("\(readFailure.code.rawValue): \(why) The wait goes on."))
    } else {
      terminal.say("The node is read again.")
    }
    terminal.live(text)
  }

  /// Tells of a return that decided nothing: the person may stand before a page that says so.
  private func tellReturn(_ request: BrokerRequest) {
    guard request.lastReturn != lastReturn else { return }
    lastReturn = request.lastReturn
    guard let last = lastReturn, last.code != "OK", !request.state.isFinal else { return }
    let advice = ConsentError.Code(rawValue: last.code)?.advice
    terminal.say("\(escaped(last.code)): " + (advice ?? "a return could not be confirmed."))
    terminal.live(text)
  }
}
