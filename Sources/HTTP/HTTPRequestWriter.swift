/// Requests into bytes, for the client side.
package struct HTTPRequestWriter {
  /// Fields that say how the message is framed and where it goes: this writer's.
  private static let reserved: [HTTPFieldName] = [.host, .contentLength, .transferEncoding]

  /// The whole request. `Host` is `request.host`, or empty.
  ///
  /// - Precondition: path, query and host have no byte that would end the line; they come from
  ///   `PercentCoding` and from literals.
  package static func bytes(_ request: HTTPRequest) -> [UInt8] {
    let target = request.path + (request.query.map { "?\($0)" } ?? "")
    precondition(target.utf8.allSatisfy(HTTPBytes.isVisible), "not a request target")
    precondition((request.host ?? "").utf8.allSatisfy(HTTPBytes.isVisible), "not a host")
    var headers = request.headers
    for name in reserved { headers.remove(name) }
    let version = request.version == .http10 ? "HTTP/1.0" : "HTTP/1.1"
    var result = Array("\(request.method.name) \(target) \(version)\r\n".utf8)
    result.append(contentsOf: "Host: \(request.host ?? "")\r\n".utf8)
    result.append(contentsOf: headers.wire)
    // RFC 9110, section 8.6: methods that are expected to have a body send a length of 0 too.
    if !request.body.isEmpty || [.post, .put, .patch].contains(request.method) {
      result.append(contentsOf: "Content-Length: \(request.body.count)\r\n".utf8)
    }
    result.append(contentsOf: "\r\n".utf8)
    result.append(contentsOf: request.body)
    return result
  }
}
