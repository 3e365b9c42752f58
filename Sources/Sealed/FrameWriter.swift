package import Crypto

/// The node's side of an answer: seals it frame by frame, each bound to its request and its place.
package struct FrameWriter: Sendable {
  private let header: RequestEnvelope.Header
  private var index: UInt32 = 0

  package init(header: RequestEnvelope.Header) { self.header = header }

  package mutating func head(
    _ head: SealedResponseHead, with sealer: inout AES256GCM.Sealer
  ) -> [UInt8] {
    frame(FrameKind.head, head.json(), with: &sealer)
  }

  /// As many frames as the bytes need; none for none.
  package mutating func body(_ bytes: [UInt8], with sealer: inout AES256GCM.Sealer) -> [UInt8] {
    var frames: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: SealedLimits.frameData) {
      let end = min(start + SealedLimits.frameData, bytes.count)
      frames += frame(FrameKind.body, bytes[start..<end], with: &sealer)
    }
    return frames
  }

  package mutating func end(with sealer: inout AES256GCM.Sealer) -> [UInt8] {
    frame(FrameKind.end, [], with: &sealer)
  }

  /// Any frame, also one that a well-behaved node never sends.
  package mutating func frame(
    _ kind: UInt8, _ data: some Collection<UInt8>, with sealer: inout AES256GCM.Sealer
  ) -> [UInt8] {
    defer { index += 1 }
    let size = UInt32(1 + data.count + AES256GCM.tagSize)
    return sealer.seal(
      [kind], data, nonce: header.responseNonce(frame: index), aad: header.bytes,
      after: size.bigEndianBytes)
  }
}
