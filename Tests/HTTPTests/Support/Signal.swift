import EventLoop
import HTTP

/// Something that happens once, for a test that waits for it.
@LoopActor final class Signal {
  private var happened = false
  private var waiters: [UnsafeContinuation<Void, Never>] = []

  func fire() {
    happened = true
    for waiter in waiters { waiter.resume() }
    waiters = []
  }

  func wait() async {
    if happened { return }
    await withUnsafeContinuation { waiters.append($0) }
  }
}

extension Fixture {
  /// Returns when the server serves exactly `count` connections.
  func waitUntilConnected(_ count: Int) async {
    let signal = Signal()
    let check = { @LoopActor in if self.server.connectionCount == count { signal.fire() } }
    server.onConnectionCountChange = check
    check()
    await signal.wait()
    server.onConnectionCountChange = nil
  }

  func waitUntilNobodyIsConnected() async { await waitUntilConnected(0) }
}
