import CSystemd
package import EventLoop

/// Signals are delivered for as long as this lives.
@LoopActor package final class BusSubscription {
  private let action: @LoopActor (BusReply) -> Void
  var slot: OpaquePointer?

  init(_ action: @escaping @LoopActor (BusReply) -> Void) { self.action = action }

  isolated deinit { end() }

  package func end() {
    sd_bus_slot_unref(slot)
    slot = nil
  }

  /// sd-bus calls this from `sd_bus_process`, so on the loop.
  nonisolated static func deliver(
    _ message: OpaquePointer?, _ data: UnsafeMutableRawPointer?
  ) -> CInt {
    guard let message, let data else { return 0 }
    let subscription = Unmanaged<BusSubscription>.fromOpaque(data).takeUnretainedValue()
    nonisolated(unsafe) let raw = message  // handed to the loop that we are on already
    LoopActor.assumeIsolated { subscription.action(BusReply(retaining: raw)) }
    return 0
  }
}
