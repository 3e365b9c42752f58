import EventLoop
import Glibc

@testable import ConsentBroker

/// A disk that is busy: nothing is committed, and nothing is read, until it is released.
@LoopActor final class HeldDisk {
  private var gate: [CInt] = [-1, -1]

  /// Returns once the ledger's thread is held.
  init(_ ledger: Ledger) async {
    var begun: [CInt] = [-1, -1]
    guard pipe(&gate) == 0, pipe(&begun) == 0 else { fatalError("no pipe: \(errno)") }
    let (held, telling) = (gate[0], begun[1])
    // Queued at once: what is written before and after it keeps its place.
    Task.immediate {
      try? await ledger.write { _ throws(LedgerError) in
        var byte: UInt8 = 0
        _ = write(telling, &byte, 1)
        // Ends when the other side is closed.
        _ = read(held, &byte, 1)
      }
      close(held)
      close(telling)
    }
    let looking = begun[0]
    var poll = pollfd(fd: looking, events: Int16(POLLIN), revents: 0)
    while Glibc.poll(&poll, 1, 0) == 0 { try? await LoopActor.sleep(for: .milliseconds(1)) }
    close(looking)
  }

  func release() { close(gate[1]) }
}
