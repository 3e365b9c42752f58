import EventLoop
import FoundationEssentials
import HTTP

extension BrokerSession {
  /// This session's changes as they happen: `for try await event in session.events()`.
  ///
  /// Where the connection is lost, or the daemon starts again, it connects again and goes on
  /// after the last event that it had. It ends only with an error: `KEY_REQUIRED` when the
  /// session is closed, `CALL_CANCELLED` when the task is, `DAEMON_UNAVAILABLE` when there was no
  /// daemon in the first place.
  ///
  /// - Parameter after: the `id` of an event: everything since is told first. `nil` for what
  ///   happens from now on.
  public func events(after: String? = nil) -> BrokerEvents {
    BrokerEvents(session: self, after: after)
  }
}

/// See `BrokerSession.events(after:)`.
public struct BrokerEvents: AsyncSequence, Sendable {
  public typealias Element = BrokerEvent
  public typealias Failure = BrokerError

  let session: BrokerSession
  let after: String?

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(reader: EventReader(session: session, after: after))
  }

  public struct AsyncIterator: AsyncIteratorProtocol {
    let reader: EventReader

    public mutating func next() async throws(BrokerError) -> BrokerEvent? {
      try await reader.next()
    }

    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(BrokerError) -> BrokerEvent? { try await reader.next() }
  }
}

enum EventLimits {
  /// The daemon beats every 25 s; two beats and some more without a byte are no connection.
  static let silence: Duration = .seconds(65)
  /// Between attempts to connect again, from the first to the longest.
  static let firstRetry: Duration = .milliseconds(250)
  static let longestRetry: Duration = .seconds(10)
  /// A connection that lasted that long was a good one: the next attempt is the first again.
  static let goodConnection: Duration = .seconds(5)
}

/// Reads one stream of events, over as many connections as it takes.
@LoopActor final class EventReader {
  private let session: BrokerSession
  private var parser: ServerSentEventParser
  private var response: HTTPClientResponse?
  private var backlog: [BrokerEvent] = []
  private var hasConnected = false
  private var retry = EventLimits.firstRetry
  private var connectedAt: BootInstant?

  nonisolated init(session: BrokerSession, after: String?) {
    self.session = session
    parser = ServerSentEventParser(lastEventID: after ?? "")
  }

  isolated deinit { response?.cancel() }

  func next() async throws(BrokerError) -> BrokerEvent? {
    while backlog.isEmpty {
      if Task.isCancelled { throw .cancelled }
      if response == nil { try await connect() }
      try await readOn()
    }
    return backlog.removeFirst()
  }

  private func connect() async throws(BrokerError) {
    if let connectedAt {
      if connectedAt + EventLimits.goodConnection < .now { retry = EventLimits.firstRetry }
      self.connectedAt = nil
      try await pause(retry)
      retry = min(retry * 2, EventLimits.longestRetry)
    }
    while true {
      do throws(BrokerError) {
        response = try await open()
        hasConnected = true
        connectedAt = .now
        return
      } catch {
        guard hasConnected, Self.passes(error) else { throw error }
        let asked = min(error.retryAfter ?? 0, WaitLimits.longestRetryAfter)
        try await pause(max(retry, .seconds(asked)))
        retry = min(retry * 2, EventLimits.longestRetry)
      }
    }
  }

  private static func passes(_ error: BrokerError) -> Bool {
    [.daemonUnavailable, .timedOut, .stopping, .tooMany].contains(error.code)
  }

  private func open() async throws(BrokerError) -> HTTPClientResponse {
    // What was half read of the last connection is not part of this one.
    let last = parser.lastEventID
    parser = ServerSentEventParser(lastEventID: last)
    let call = try session.call(.get, "/v1/events", canRepeat: true)
      .with(.accept, "text/event-stream").with(.lastEventID, last.isEmpty ? nil : last)
    let response = try await session.client.connector.open(call, key: session.key)
    guard response.status == 200 else {
      let body: [UInt8]
      do {
        body = try await response.body(deadline: .now + call.time)
      } catch {
        throw DaemonConnector.error(for: error)
      }
      throw DaemonAnswer(status: response.status.code, headers: response.headers, body: body)
        .problem
    }
    return response
  }

  /// Reads the next piece; a connection that ended is given up.
  private func readOn() async throws(BrokerError) {
    guard let response else { return }
    let piece: [UInt8]?
    do {
      piece = try await response.next(deadline: .now + EventLimits.silence)
    } catch {
      self.response = nil
      if Task.isCancelled { throw .cancelled }
      return
    }
    guard let piece else {
      self.response = nil
      return
    }
    let events: [ServerSentEvent]
    do {
      events = try parser.feed(piece)
    } catch {
      response.cancel()
      throw .answerInvalid("an event is too long")
    }
    for event in events where event.event == "request" {
      let answer = try DaemonAnswer.json(EventAnswer.self, from: Array(event.data.utf8))
      backlog.append(
        BrokerEvent(
          id: event.id ?? "", requestId: answer.requestId,
          state: BrokerRequest.State(rawValue: answer.state), lastReturn: answer.lastReturn?.value,
          readFailure: answer.readFailure?.value, isRecorded: answer.recorded ?? true,
          activationToken: answer.activationToken))
      retry = EventLimits.firstRetry
    }
  }

  private func pause(_ time: Duration) async throws(BrokerError) {
    do { try await LoopActor.sleep(for: time) } catch { throw .cancelled }
  }
}
