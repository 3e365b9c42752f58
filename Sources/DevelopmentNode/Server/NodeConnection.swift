import EventLoop
import HTTP

/// One connection: hands requests to the node, and answers to whatever fate they have.
@LoopActor final class NodeConnection: HTTPHandler {
  private let node: DevelopmentNode
  private let wire: WireStream
  /// How far the `Date` of the next answer is off, in seconds.
  private var dateShift = 0

  private init(_ node: DevelopmentNode, _ wire: WireStream) {
    self.node = node
    self.wire = wire
  }

  /// A server for this one connection: its clock and its fate are its own.
  static func server(_ node: DevelopmentNode, _ wire: WireStream) -> HTTPServer {
    let connection = NodeConnection(node, wire)
    let server = HTTPServer(handler: connection)
    server.secondsSince1970 = { Int(node.now.unixSeconds) + connection.dateShift }
    return server
  }

  /// A web page that rebound its own name to loopback comes with that name in `Host`.
  func refuse(head: HTTPRequest, on connection: HTTPConnectionInfo) -> HTTPResponse? {
    let hosts = ["127.0.0.1", "localhost"].map { "\($0):\(node.port)" }
    guard let host = head.host?.lowercased(), hosts.contains(host) else {
      return HTTPResponse(.refusal(421, "misdirected", "This node is on \(hosts[0])."))
    }
    return nil
  }

  func respond(to request: HTTPRequest, on connection: HTTPConnectionInfo) async -> HTTPResponse {
    let (answer, acts) = node.answer(request)
    if acts.has(.neverAnswers) {
      await wire.untilClientLeaves()
      wire.fate = .cutBeforeHead
      return HTTPResponse(answer)
    }
    if let act = acts.first(.slow) {
      // Woken early only because the client left or the node stops: the answer is moot then.
      try? await LoopActor.sleep(for: .milliseconds(act.number))
    }
    dateShift = acts.first(.date)?.number ?? 0
    wire.fate = WireStream.Fate(acts, bodyLength: answer.body.count)
    return HTTPResponse(answer)
  }
}

extension WireStream.Fate {
  fileprivate init(_ acts: [MisbehaviourPlan.Act], bodyLength: Int) {
    if acts.has(.cutBeforeHead) {
      self = .cutBeforeHead
    } else if acts.has(.cutInBody) {
      self = .cutInBody(length: bodyLength)
    } else if let act = acts.first(.drip) {
      self = .drips(.milliseconds(act.number))
    } else {
      self = .arrives
    }
  }
}

extension HTTPResponse {
  /// A field that cannot be sent is left out: what misbehaviour puts in comes from outside.
  fileprivate init(_ answer: APIAnswer) {
    var headers = HTTPHeaders()
    for (name, value) in answer.headers {
      guard let name = HTTPFieldName(name), let value = HTTPFieldValue(value) else { continue }
      headers.add(name, value)
    }
    self.init(HTTPStatus(answer.status) ?? 500, headers: headers, body: answer.body)
  }
}
