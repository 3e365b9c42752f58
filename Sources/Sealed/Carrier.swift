/// Moves bytes between the sealed channel and one node: HTTPS in the product, memory in tests.
///
/// A carrier knows one base URL. It never follows a redirect (a 3xx is an answer like any other),
/// never adds a credential, keeps no cookies, and never repeats a request once a byte of it has
/// left. It has time limits of its own for connecting, for silence and for the whole transfer.
///
/// A class of a global actor must repeat the actor's name at each of these functions, or they are
/// taken as nonisolated.
package protocol Carrier: Sendable {
  /// Sends one POST and returns when the status line and the headers of the answer are in.
  ///
  /// Every status is an answer, whatever its body will be like (`replyTooLong` is for `next()` to
  /// throw); only a transfer that did not come to an answer throws. A cancelled task stops the
  /// transfer and throws `CarrierError` with the reason `cancelled`.
  func post(_ request: CarrierRequest) async throws(CarrierError) -> any CarrierReply

  /// Stops every transfer (they throw the reason `closed`) and drops kept connections.
  /// Later posts throw the reason `closed`.
  func close() async
}

/// One POST below the base URL.
package struct CarrierRequest: Equatable, Sendable {
  /// Begins with a slash, has neither query nor fragment; the carrier puts it after the path of
  /// its base URL.
  package var path: String
  /// The value of the `content-type` field.
  package var contentType: String
  /// Sent with a content length, never chunked.
  package var body: [UInt8]
  /// The longest body of an answer, in bytes. A longer one makes `next()` throw the reason
  /// `replyTooLong` before what is over the limit is kept; a content length over it, before
  /// anything is.
  package var replyLimit: Int

  package init(path: String, contentType: String, body: [UInt8], replyLimit: Int) {
    self.path = path
    self.contentType = contentType
    self.body = body
    self.replyLimit = replyLimit
  }
}

/// An answer whose body is still on its way.
package protocol CarrierReply: AnyObject, Sendable {
  var head: CarrierReplyHead { get }

  /// The next bytes of the body, never an empty piece; `nil` once the body has ended as HTTP says
  /// it must. An end before that throws the reason `cut`: a short body is never a whole one.
  ///
  /// The carrier keeps at most 64 KiB that nobody has asked for, then it stops reading.
  /// - Throws: after the first error, the same error again.
  func next() async throws(CarrierError) -> [UInt8]?

  /// Stops the transfer if it still runs; a `next()` that waits throws the reason `cancelled`.
  /// May be called at any time, from anywhere, more than once, and after the end.
  func abandon()
}

/// What the channel reads of an answer's header.
package struct CarrierReplyHead: Equatable, Sendable {
  /// 200 to 599; interim answers (1xx) are never shown.
  package var status: Int
  /// The field's value as received, `nil` when it is missing.
  package var contentType: String?
  package var retryAfter: String?
  package var date: String?

  package init(
    status: Int, contentType: String? = nil, retryAfter: String? = nil, date: String? = nil
  ) {
    self.status = status
    self.contentType = contentType
    self.retryAfter = retryAfter
    self.date = date
  }
}

/// Why a transfer came to no answer, or to a broken one.
package struct CarrierError: Error, Equatable, Sendable {
  package enum Reason: Sendable, CaseIterable {
    /// The name of the node did not resolve.
    case nameNotFound
    /// No connection: refused, no route, a proxy in between that said no.
    case notConnected
    /// This machine, or this process, has no descriptors or memory left for a connection.
    case exhausted
    /// A connection, but no TLS: a wrong certificate, no common version, no CA store.
    case tls
    /// The connection ended or failed before the answer was complete.
    case cut
    /// One of the carrier's time limits.
    case timedOut
    /// The answer is no HTTP.
    case notHTTP
    /// The body is longer than `CarrierRequest.replyLimit`.
    case replyTooLong
    /// The task was cancelled, or the reply abandoned.
    case cancelled
    /// The carrier is closed.
    case closed
  }

  package let reason: Reason
  /// False only when it is certain that no byte of the request left this machine.
  package let requestMayHaveLeft: Bool
  /// For the journal: what the library below says. Holds no secret and no URL.
  package let detail: String

  package init(_ reason: Reason, requestMayHaveLeft: Bool, detail: String = "") {
    self.reason = reason
    self.requestMayHaveLeft = requestMayHaveLeft
    self.detail = detail
  }

  /// Equal by what a program may act on; `detail` is for people.
  package static func == (left: Self, right: Self) -> Bool {
    left.reason == right.reason && left.requestMayHaveLeft == right.requestMayHaveLeft
  }
}
