/// Every limit of a server, a client or a parser. A count is reached, never passed: a message of
/// exactly the limit is taken.
package struct HTTPLimits: Sendable {
  /// Bytes of the request or status line, without its line end. Over it: 414.
  package var startLine = 16 * 1024
  /// Bytes of all field lines with their line ends. The trailers of a body may have as many once
  /// more, which are not kept. Over it: 431.
  package var headerBytes = 64 * 1024
  /// Number of fields, and that of trailers. Over it: 431.
  package var headerCount = 100
  /// Bytes of a body, chunks joined. Over it: 413.
  package var bodyBytes = 1024 * 1024
  /// Bytes of all chunk extensions of one body; nothing here uses them. Over it: 400.
  package var chunkExtensionBytes = 4 * 1024

  /// Connections that are served at the same time. Over it: the one that has waited the longest
  /// for its client is closed; where none has waited for `placeGrace`, 429 and closed.
  package var connections = 1024
  /// How long a connection keeps its place while no whole request is there, or while the end of
  /// its client is waited for, when another one wants it.
  package var placeGrace: Duration = .seconds(1)
  /// Connections that are not served and are being told so. Over it: the one that has waited the
  /// longest is closed.
  package var strangers = 16
  /// Refusals of connections over the limit that are being told so at the same time; beyond
  /// that a connection is closed without a word.
  package var refusals = 16

  /// From the first byte of a request (on a new connection: from its acceptance) to the end of
  /// its header section. Over it: 408, or a silent close when no byte came.
  package var headerTime: Duration = .seconds(10)
  /// From the end of the header section to the end of the body. Over it: 408.
  package var bodyTime: Duration = .seconds(30)
  /// Between an answer and the next request. Over it: a silent close.
  package var idleTime: Duration = .seconds(60)
  /// How long a write may go without progress. Over it: the connection is cut.
  package var writeStall: Duration = .seconds(30)
  /// Bytes that a stream may queue for a slow reader. Over it: the connection is cut.
  package var streamQueue = 256 * 1024
  /// How long, and for how many bytes, a closed connection is drained, so that the client reads
  /// the answer and not a reset.
  package var lingerTime: Duration = .seconds(2)
  package var lingerBytes = 1024 * 1024
  /// Bytes that one read takes at most.
  package var readSize = 16 * 1024

  /// Bytes that a connection may hold in each direction whatever others hold: an ordinary call.
  package var ownBytes = 8 * 1024
  /// Bytes of requests beyond that, of all connections together. Over it: a request that has not
  /// arrived whole within `requestGrace` makes room, or the newcomer is told 429.
  package var requestBytes = 6 * 1024 * 1024
  package var requestGrace: Duration = .seconds(1)
  /// Bytes of answers beyond that, of all connections together, that clients have not taken. Over
  /// it: the connection that has taken the longest over its answer is cut.
  package var answerBytes = 6 * 1024 * 1024

  package init() {}

  /// For the local API: its clients are our own kind. `docs/http.md` has both doors' limits.
  package static let unixSocket = HTTPLimits()

  /// For the callback: a return may carry a long query (a target of 30 KB has been seen), and
  /// browsers open spare connections, but nobody has anything to upload.
  package static let callback: HTTPLimits = {
    var limits = HTTPLimits()
    limits.startLine = 64 * 1024
    limits.connections = 128
    // A browser has its request ready when it connects; its spare connections can go at any time.
    // So who connects as fast as he can keeps nobody out who speaks.
    limits.placeGrace = .zero
    limits.requestBytes = 1024 * 1024
    limits.answerBytes = 1024 * 1024
    return limits
  }()
}
