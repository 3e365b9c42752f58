import EventLoop
import Sealed

/// An answer whose body libcurl is still receiving. Dropping it ends the transfer.
@LoopActor final class CurlReply: CarrierReply {
  nonisolated let head: CarrierReplyHead
  private let transfer: CurlTransfer

  init(_ head: CarrierReplyHead, _ transfer: CurlTransfer) {
    self.head = head
    self.transfer = transfer
  }

  isolated deinit { transfer.stop(.cancelled) }

  @LoopActor func next() async throws(CarrierError) -> [UInt8]? { try await transfer.next() }

  nonisolated func abandon() {
    Task { @LoopActor in transfer.stop(.cancelled, "the reply was abandoned") }
  }
}
