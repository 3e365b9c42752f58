/// Responses into bytes (RFC 9112, section 4).
package struct HTTPResponseWriter {
  /// How the body follows the head.
  package enum Transfer {
    /// The head is all there is.
    case none
    case bytes([UInt8])
    case chunked(HTTPBodyStream)
    /// For HTTP/1.0, which has no chunks: the end of the connection is the end of the body.
    case untilClose(HTTPBodyStream)
    /// The answer to HEAD has a stream that nobody will read.
    case discarded(HTTPBodyStream)
  }

  /// Appends the head to `output`.
  ///
  /// - Parameters:
  ///   - persists: whether another request may follow; false sends `Connection: close`.
  ///   - date: the `Date` field with its line end, or nothing.
  package static func head(
    _ response: HTTPResponse, toHead isHead: Bool, version: HTTPVersion, persists: Bool,
    date: [UInt8], into output: inout [UInt8]
  ) -> Transfer {
    appendLine(response.status, to: &output)
    output.append(contentsOf: date)
    appendFields(response.headers, to: &output)
    if !persists {
      append("Connection: close\r\n", to: &output)
    } else if version == .http10 {
      append("Connection: keep-alive\r\n", to: &output)
    }
    let transfer = transfer(response, isHead: isHead, version: version)
    switch (transfer, response.body) {
    case (.chunked, _): append("Transfer-Encoding: chunked\r\n", to: &output)
    case (_, .bytes(let bytes)) where !response.status.isBodyless:
      appendLength(bytes.count + (isHead ? response.omittedBytes : 0), to: &output)
    default: break
    }
    append("\r\n", to: &output)
    return transfer
  }

  static func appendLine(_ status: HTTPStatus, to output: inout [UInt8]) {
    append("HTTP/1.1 ", to: &output)
    append(status.code, to: &output)
    output.append(HTTPBytes.space)
    append(status.reason, to: &output)
    append("\r\n", to: &output)
  }

  static func appendLength(_ count: Int, to output: inout [UInt8]) {
    append("Content-Length: ", to: &output)
    append(count, to: &output)
    append("\r\n", to: &output)
  }

  /// Whether the body's end cannot be told from the connection's.
  package static func endsWithConnection(_ response: HTTPResponse, _ version: HTTPVersion) -> Bool {
    if case .stream = response.body { return version == .http10 }
    return false
  }

  private static func transfer(
    _ response: HTTPResponse, isHead: Bool, version: HTTPVersion
  ) -> Transfer {
    let hasBody = !isHead && !response.status.isBodyless
    switch response.body {
    case .bytes(let bytes): return hasBody && !bytes.isEmpty ? .bytes(bytes) : .none
    case .stream(let stream) where !hasBody: return .discarded(stream)
    case .stream(let stream): return version == .http10 ? .untilClose(stream) : .chunked(stream)
    }
  }

  /// How the message is framed is the server's business, never a handler's.
  static func appendFields(_ headers: HTTPHeaders, to output: inout [UInt8]) {
    output.append(contentsOf: headers.hasFraming ? headers.withoutFraming.wire : headers.wire)
  }

  /// Appends one chunk (RFC 9112, section 7.1). An empty one would end the body: it is left out.
  package static func chunk(_ bytes: [UInt8], into output: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    append(String(bytes.count, radix: 16), to: &output)
    append("\r\n", to: &output)
    output.append(contentsOf: bytes)
    append("\r\n", to: &output)
  }

  package static let lastChunk: [UInt8] = Array("0\r\n\r\n".utf8)
  package static let `continue`: [UInt8] = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  static func append(_ text: StaticString, to output: inout [UInt8]) {
    text.withUTF8Buffer { output.append(contentsOf: $0) }
  }

  static func append(_ text: String, to output: inout [UInt8]) {
    output.append(contentsOf: text.utf8)
  }

  /// The digits of a number that is not negative.
  static func append(_ number: Int, to output: inout [UInt8]) {
    let start = output.count
    var rest = number
    repeat {
      output.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    output[start...].reverse()
  }
}
