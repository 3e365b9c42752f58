import EventLoop
import HTTP
import Testing

/// A person's browser on its way back to a callback.
@LoopActor enum Person {
  struct Page {
    let status: Int
    let state: String?
  }

  /// What a browser sends with a navigation from another site.
  static let navigation: HTTPHeaders = [
    "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document",
  ]

  /// Follows a redirect, and refreshes where the page says so.
  static func visit(
    port: UInt16, _ path: String, query: String? = nil, headers: HTTPHeaders = navigation,
    host: String? = nil
  ) async throws -> Page {
    let stream = try await Connector.connect(
      to: .loopback4(port: port), deadline: .now + .seconds(5))
    let connection = HTTPClientConnection(stream)
    defer { connection.close() }
    let request = HTTPRequest(
      method: .get, path: path, query: query, headers: headers, host: host ?? "127.0.0.1:\(port)")
    let answer = try await connection.send(request, deadline: .now + .seconds(20))
    let text = String(decoding: try await answer.body(deadline: .now + .seconds(20)), as: UTF8.self)
    if answer.status == 303, let place = answer.headers[.location] {
      return try await visit(port: port, place, headers: headers, host: host)
    }
    let state = text.firstMatch(of: /data-state="([a-z-]+)"/).map { String($0.1) }
    if state == "checking" { return try await visit(port: port, path, headers: headers) }
    return Page(status: answer.status.code, state: state)
  }
}

/// A port that is free, and that the kernel gives to nobody who does not ask for it by its number:
/// it is below those that it gives away by itself (`ip_local_port_range`).
@LoopActor func freePort() -> UInt16 {
  while true {
    let port = UInt16.random(in: 20_000..<32_000)
    guard let listener = try? Listener.loopback4(port: port) else { continue }
    listener.close()
    return port
  }
}
