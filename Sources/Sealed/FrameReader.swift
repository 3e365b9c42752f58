package import Crypto

/// The client's side of an answer: takes the stream in pieces of any size, opens each frame once
/// it is whole, and refuses the first thing that is wrong.
///
/// It keeps at most one frame that is not whole yet, and the body within its limit. After an
/// error it must not be used.
package struct FrameReader: Sendable {
  private let header: RequestEnvelope.Header
  private let bodyLimit: Int
  private var bytesLeft: Int

  /// The beginning of a frame that is not whole yet.
  private var pending: [UInt8] = []
  private var index: UInt32 = 0
  private var head: SealedResponseHead?
  private var body: [UInt8] = []
  private var ended = false

  /// - Parameter bodyLimit: the longest body that is taken, in bytes.
  package init(header: RequestEnvelope.Header, bodyLimit: Int) {
    self.header = header
    self.bodyLimit = bodyLimit
    bytesLeft = SealedLimits.stream(body: bodyLimit)
  }

  /// The next bytes of the stream.
  package mutating func receive(
    _ bytes: [UInt8], with opener: inout AES256GCM.Opener
  ) throws(SealedFlaw) {
    guard bytes.count <= bytesLeft else { throw .streamTooLong }
    bytesLeft -= bytes.count
    var rest = bytes[...]
    while !rest.isEmpty {
      guard !ended else { throw .dataAfterEnd }
      take(from: &rest, upTo: Self.lengthSize)
      guard pending.count >= Self.lengthSize else { return }
      let length = try frameLength()
      take(from: &rest, upTo: Self.lengthSize + length)
      guard pending.count == Self.lengthSize + length else { return }
      try openFrame(with: &opener)
      pending.removeAll(keepingCapacity: true)
    }
  }

  /// The whole answer, once the stream has ended.
  ///
  /// - Throws: `SealedFlaw.cutShort` when it ended without an end frame.
  package consuming func finish() throws(SealedFlaw) -> (head: SealedResponseHead, body: [UInt8]) {
    guard ended, let head else { throw .cutShort }
    return (head, body)
  }

  private static let lengthSize = 4
  private static let shortestFrame = 1 + AES256GCM.tagSize

  /// Moves bytes to `pending` until it has `size` of them.
  private mutating func take(from rest: inout ArraySlice<UInt8>, upTo size: Int) {
    let count = min(max(size - pending.count, 0), rest.count)
    pending += rest.prefix(count)
    rest = rest.dropFirst(count)
  }

  /// The length that stands in front of the frame, checked before a byte of it is kept.
  private func frameLength() throws(SealedFlaw) -> Int {
    let length = UInt32(bigEndian: pending)
    guard length <= SealedLimits.frame else { throw .frameTooLong }
    guard length >= Self.shortestFrame else { throw .frameTooShort }
    return Int(length)
  }

  private mutating func openFrame(with opener: inout AES256GCM.Opener) throws(SealedFlaw) {
    let frame: [UInt8]
    do {
      frame = try opener.open(
        pending.dropFirst(Self.lengthSize), nonce: header.responseNonce(frame: index),
        aad: header.bytes)
    } catch {
      throw .frameNotAuthentic
    }
    let (kind, data) = (frame[0], frame.dropFirst())
    guard index > 0 || kind == FrameKind.head else { throw .firstFrameNotHead }
    switch kind {
    case FrameKind.head:
      guard head == nil else { throw .secondHead }
      guard let parsed = SealedResponseHead(json: data) else { throw .malformedHead }
      head = parsed
    case FrameKind.body:
      guard data.count <= bodyLimit - body.count else { throw .bodyTooLong }
      body += data
    case FrameKind.end:
      guard data.isEmpty else { throw .endNotEmpty }
      ended = true
    default:
      throw .unknownKind(kind)
    }
    // Cannot overflow: the stream is bounded long before four thousand million frames.
    index += 1
  }
}
