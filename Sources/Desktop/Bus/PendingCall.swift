import CSystemd
import EventLoop

/// A call whose answer is awaited.
@LoopActor final class PendingCall {
  private let answer = Once<Result<BusReply, BusError>>()
  /// The callback's registration: sd-bus holds it as long as this does.
  var slot: OpaquePointer?

  init() {}

  isolated deinit { sd_bus_slot_unref(slot) }

  func finish(_ result: Result<BusReply, BusError>) { answer.give(result) }

  func result(
    until deadline: BootInstant, else error: BusError
  ) async -> Result<BusReply, BusError> {
    let result = await answer.value(until: deadline, else: .failure(error))
    sd_bus_slot_unref(slot)
    slot = nil
    return result
  }

  /// sd-bus calls this from `sd_bus_process`, so on the loop.
  nonisolated static func answered(
    _ message: OpaquePointer?, _ data: UnsafeMutableRawPointer?
  ) -> CInt {
    guard let message, let data else { return 0 }
    let call = Unmanaged<PendingCall>.fromOpaque(data).takeUnretainedValue()
    nonisolated(unsafe) let raw = message  // handed to the loop that we are on already
    LoopActor.assumeIsolated {
      let reply = BusReply(retaining: raw)
      call.finish(reply.error.map { .failure($0) } ?? .success(reply))
    }
    return 0
  }
}
