package import EventLoop

/// An answer that is kept and sent again and again, put together once for all.
///
/// One object, so that handing it on counts one reference and not one for each part of it, and
/// sent from where it is: only its date is written anew, once a second.
@LoopActor package final class PreparedAnswer {
  /// For who needs another form of it: the answer to HEAD, the last one of a connection.
  package let response: HTTPResponse
  /// As it goes over the wire to GET over HTTP/1.1, on a connection that stays open.
  private var bytes: [UInt8] = []
  /// Where the `Date` field is in them, and of which second.
  private var date: Range<Int>
  private var second: Int?

  /// `nil` where there is no such form.
  package init?(_ response: HTTPResponse) {
    guard response.isShort, !response.status.isBodyless, !response.closesConnection,
      case .bytes(let body) = response.body
    else { return nil }
    self.response = response
    HTTPResponseWriter.appendLine(response.status, to: &bytes)
    date = bytes.count..<bytes.count
    HTTPResponseWriter.appendFields(response.headers, to: &bytes)
    HTTPResponseWriter.appendLength(body.count, to: &bytes)
    HTTPResponseWriter.append("\r\n", to: &bytes)
    bytes.append(contentsOf: body)
  }

  /// All of it, with the `Date` of now.
  func bytes(at now: DateField) -> [UInt8] {
    if second != now.second {
      bytes.replaceSubrange(date, with: now.field)
      date = date.lowerBound..<date.lowerBound + now.field.count
      second = now.second
    }
    return bytes
  }
}
