import EventLoop
import Glibc
import HTTP

/// Connections to the daemon's socket, a few of them kept for the next call.
@LoopActor final class DaemonConnector {
  private let path: String
  private let uid: UInt32
  private let connectTime: Duration
  private var kept: [HTTPClientConnection] = []

  /// More than that many calls at once each make a connection of their own and close it.
  private static let keptLimit = 4

  /// - Parameter uid: the user whose daemon it has to be.
  nonisolated init(path: String, uid: UInt32, connectTime: Duration) {
    self.path = path
    self.uid = uid
    self.connectTime = connectTime
  }

  /// Makes a call and reads its whole answer. A cancelled task ends it.
  func call(_ call: DaemonCall, key: SessionKey?) async throws(BrokerError) -> DaemonAnswer {
    let request = call.request(key: key)
    let deadline = BootInstant.now + call.time
    if call.canRepeat, let connection = takeKept() {
      do throws(HTTPClientError) {
        return try await exchange(request, on: connection, until: deadline)
      } catch {
        guard Self.isBroken(error), !Task.isCancelled else { throw Self.error(for: error) }
      }
    }
    do throws(HTTPClientError) {
      return try await exchange(request, on: connect(), until: deadline)
    } catch {
      guard call.canRepeat, Self.isBroken(error), !Task.isCancelled else {
        throw Self.error(for: error)
      }
    }
    do throws(HTTPClientError) {
      return try await exchange(request, on: connect(), until: deadline)
    } catch {
      throw Self.error(for: error)
    }
  }

  /// Starts a call whose answer has no end, on a connection of its own.
  func open(
    _ call: DaemonCall, key: SessionKey?
  ) async throws(BrokerError) -> HTTPClientResponse {
    do throws(HTTPClientError) {
      var limits = HTTPLimits()
      limits.bodyBytes = .max
      let connection = try await connect(limits: limits)
      return try await connection.send(call.request(key: key), deadline: .now + call.time)
    } catch {
      throw Self.error(for: error)
    }
  }

  private func exchange(
    _ request: HTTPRequest, on connection: HTTPClientConnection, until deadline: BootInstant
  ) async throws(HTTPClientError) -> DaemonAnswer {
    let response = try await connection.send(request, deadline: deadline)
    let body = try await response.body(deadline: deadline)
    if connection.isReusable && kept.count < Self.keptLimit {
      kept.append(connection)
    } else {
      connection.close()
    }
    return DaemonAnswer(status: response.status.code, headers: response.headers, body: body)
  }

  private func takeKept() -> HTTPClientConnection? {
    while let connection = kept.popLast() {
      if connection.isReusable { return connection }
    }
    return nil
  }

  private func connect(
    limits: HTTPLimits = HTTPLimits()
  ) async throws(HTTPClientError) -> HTTPClientConnection {
    let stream: SocketStream
    do {
      stream = try await Connector.unix(path: path, deadline: .now + connectTime)
    } catch {
      throw .stream(error)
    }
    // Whoever else listens there must not see a key or a token.
    guard let peer = stream.peer, peer.uid == uid else {
      stream.close()
      throw .stream(.system(SystemError(call: "SO_PEERCRED", code: EPERM)))
    }
    return HTTPClientConnection(stream, limits: limits)
  }

  // MARK: Errors

  /// The daemon ended, perhaps to start again, before it said anything.
  private static func isBroken(_ error: HTTPClientError) -> Bool {
    switch error {
    case .endedEarly(let answerBegan): !answerBegan
    case .stream(.system(let error)): error.code == EPIPE || error.code == ECONNRESET
    case .stream(.closed): true
    case .stream(.timedOut), .malformed: false
    }
  }

  static func error(for error: HTTPClientError) -> BrokerError {
    switch error {
    case .stream(.timedOut):
      BrokerError(.timedOut, "The consent daemon did not answer in time. Try again.")
    case .stream(.closed) where Task.isCancelled: .cancelled
    case .stream(.system(let error)) where error.code == EPERM && error.call == "SO_PEERCRED":
      BrokerError(
        .daemonUntrusted,
        "Another user's program listens on the consent daemon's socket. Remove the socket and "
          + "start the daemon.")
    case .stream(.system(let error)) where error.code == ENAMETOOLONG:
      BrokerError(.daemonUnavailable, "The path of the consent daemon's socket is too long.")
    case .stream, .endedEarly:
      BrokerError(
        .daemonUnavailable,
        "The consent daemon does not answer. Check that mero-consentd is installed and running.")
    case .malformed: .answerInvalid("it is not HTTP/1.1")
    }
  }
}
