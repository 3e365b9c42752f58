import Sealed
import Synchronization

/// An answer that is handed over in pieces, as a carrier would.
final class FakeReply: CarrierReply {
  let head: CarrierReplyHead
  private let limit: Int

  private struct State {
    var pieces: [[UInt8]]
    var ending: CarrierError?
    var given = 0
    var isAbandoned = false
    /// Let go when it has happened: it may hold who holds this.
    var beforeEnd: (@Sendable () async -> Void)?
  }
  private let state: Mutex<State>

  /// - Parameters:
  ///   - ending: what is thrown behind the last piece; `nil` for a proper end.
  ///   - beforeEnd: what happens while the end is waited for.
  init(
    _ head: CarrierReplyHead, pieces: [[UInt8]], ending: CarrierError? = nil, limit: Int,
    beforeEnd: (@Sendable () async -> Void)? = nil
  ) {
    self.head = head
    self.limit = limit
    state = Mutex(
      State(pieces: pieces.filter { !$0.isEmpty }, ending: ending, beforeEnd: beforeEnd))
  }

  func next() async throws(CarrierError) -> [UInt8]? {
    await state.withLock { $0.pieces.isEmpty ? $0.beforeEnd.take() : nil }?()
    let result = state.withLock { state -> Result<[UInt8]?, CarrierError> in
      guard !state.isAbandoned else {
        return .failure(CarrierError(.cancelled, requestMayHaveLeft: true))
      }
      guard let piece = state.pieces.first else {
        return state.ending.map { .failure($0) } ?? .success(nil)
      }
      guard state.given + piece.count <= limit else {
        return .failure(CarrierError(.replyTooLong, requestMayHaveLeft: true))
      }
      state.given += piece.count
      state.pieces.removeFirst()
      return .success(piece)
    }
    return try result.get()
  }

  func abandon() { state.withLock { $0.isAbandoned = true } }

  var isAbandoned: Bool { state.withLock { $0.isAbandoned } }
  /// Bytes that the channel has taken.
  var given: Int { state.withLock { $0.given } }
}
