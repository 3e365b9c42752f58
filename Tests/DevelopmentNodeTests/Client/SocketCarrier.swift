import EventLoop
import HTTP
import Sealed

/// Carries sealed calls to a node over this project's own sockets, one connection a call.
@LoopActor final class SocketCarrier: Carrier {
  private let port: UInt16
  private let prefix: String

  init(port: UInt16, prefix: String = "") {
    self.port = port
    self.prefix = prefix
  }

  @LoopActor func post(_ request: CarrierRequest) async throws(CarrierError) -> any CarrierReply {
    let stream: SocketStream
    do {
      stream = try await Connector.connect(to: .loopback4(port: port))
    } catch {
      throw CarrierError(.notConnected, requestMayHaveLeft: false)
    }
    var headers = HTTPHeaders()
    headers.set(.contentType, HTTPFieldValue(request.contentType) ?? "")
    var limits = HTTPLimits()
    limits.bodyBytes = request.replyLimit
    let connection = HTTPClientConnection(stream, limits: limits)
    do {
      let response = try await connection.send(
        HTTPRequest(
          method: .post, path: prefix + request.path, headers: headers, body: request.body,
          host: "127.0.0.1:\(port)"))
      return Reply(response, connection)
    } catch {
      let reason: CarrierError.Reason = Task.isCancelled ? .cancelled : .cut
      throw CarrierError(reason, requestMayHaveLeft: true, detail: "\(error)")
    }
  }

  func close() async {}

  private final class Reply: CarrierReply {
    let head: CarrierReplyHead
    private let response: HTTPClientResponse
    // The response holds no connection once it is read, so the connection is held here.
    private let connection: HTTPClientConnection

    @LoopActor init(_ response: HTTPClientResponse, _ connection: HTTPClientConnection) {
      self.response = response
      self.connection = connection
      head = CarrierReplyHead(
        status: response.status.code, contentType: response.headers[.contentType],
        retryAfter: response.headers[.retryAfter], date: response.headers[.date])
    }

    @LoopActor func next() async throws(CarrierError) -> [UInt8]? {
      do throws(HTTPClientError) {
        return try await response.next()
      } catch {
        if case .malformed = error {
          throw CarrierError(.replyTooLong, requestMayHaveLeft: true)
        }
        throw CarrierError(.cut, requestMayHaveLeft: true, detail: "\(error)")
      }
    }

    func abandon() { Task { @LoopActor in response.cancel() } }
  }
}
