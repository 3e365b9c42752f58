/// A connected stream of bytes: a socket, or a stand-in for the pure tests of what is above it.
@LoopActor package protocol ByteStream: AnyObject, Sendable {
  /// Appends at least one and at most `limit` bytes to `buffer`.
  ///
  /// - Returns: how many; 0 when the peer has ended its side.
  /// - Throws: `StreamError.timedOut` at `readDeadline`, `.closed` after `close()`.
  func read(into buffer: inout [UInt8], limit: Int) async throws(StreamError) -> Int

  /// Appends what is there, at most `limit` bytes, without waiting.
  ///
  /// - Returns: how many; 0 when the peer has ended its side, `nil` when nothing is there.
  func readNow(into buffer: inout [UInt8], limit: Int) throws(StreamError) -> Int?

  /// Whether `readNow` may find something. It finds nothing otherwise, until `onInput`.
  var mayHaveInput: Bool { get }

  /// Called when something has come, the end too, while nobody waits in `read`.
  var onInput: (@LoopActor () -> Void)? { get set }

  /// Returns when the kernel has taken all of `bytes`.
  ///
  /// - Throws: `StreamError.timedOut` when no byte was taken for `writeStallLimit`.
  func write(_ bytes: [UInt8]) async throws(StreamError)

  /// Writes without waiting.
  ///
  /// - Returns: how many of `bytes` the kernel has taken: the rest has to wait in `write`.
  func writeNow(_ bytes: [UInt8]) throws(StreamError) -> Int

  /// Ends this side; the peer reads an end of file after what was written.
  func shutdownWrite()

  /// Ends both sides at once. Pending reads and writes throw `StreamError.closed`.
  func close()

  /// When a read that has no bytes yet gives up; `nil` for never.
  var readDeadline: BootInstant? { get set }

  /// How long one write may go without progress; `nil` for ever.
  var writeStallLimit: Duration? { get set }

  /// Called once when the peer is gone for good (EPOLLHUP, EPOLLERR), not when it merely ended
  /// its sending side: a client that half-closes still wants its answer.
  var onHangUp: (@LoopActor () -> Void)? { get set }
}

/// Why a stream cannot go on.
package enum StreamError: Error, Equatable, Sendable {
  case timedOut
  case closed
  case system(SystemError)
}
