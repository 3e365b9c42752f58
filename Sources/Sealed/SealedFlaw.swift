/// What is wrong with the bytes that a node answered with. Nothing of such an answer is used.
package enum SealedFlaw: Error, Hashable, Sendable {
  /// A handshake's answer is not 69 bytes long.
  case handshakeLength
  /// A handshake's answer is longer than `SealedLimits.handshakeReply`.
  case handshakeTooLong
  /// A handshake's answer begins with another version.
  case handshakeVersion
  /// A session that ends at once.
  case sessionLifetime

  /// A 200 whose content type is not the sealed one: somebody else's answer.
  case notSealed

  /// A frame's length is over `SealedLimits.frame`.
  case frameTooLong
  /// A frame too short for a kind and a tag.
  case frameTooShort
  /// A frame was not sealed for this request at this place, or was changed.
  case frameNotAuthentic
  case firstFrameNotHead
  case secondHead
  case unknownKind(UInt8)
  /// An end frame with data in it.
  case endNotEmpty
  case dataAfterEnd
  /// The head is not the JSON that it must be.
  case malformedHead
  /// The body is longer than the caller's limit.
  case bodyTooLong
  /// More frames than any body within the limit needs.
  case streamTooLong
  /// The stream stopped without an end frame.
  case cutShort
}
