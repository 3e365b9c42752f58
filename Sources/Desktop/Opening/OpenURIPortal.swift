import Crypto
package import EventLoop
import Glibc

/// The desktop's own way to open an address (org.freedesktop.portal.OpenURI), also from a sandbox.
@LoopActor package struct OpenURIPortal {
  private let bus: SessionBus

  package init(on bus: SessionBus) { self.bus = bus }

  package enum Outcome: Sendable, Equatable {
    case opened
    /// The person closed the chooser: nothing else is tried.
    case cancelled
    /// It was taken, and no word came in time: a second try could open a second tab.
    case unknown
    /// There is no portal, or it could not: another way may be tried.
    case failed
  }

  private static let name = "org.freedesktop.portal.Desktop"
  private static let path = "/org/freedesktop/portal/desktop"

  /// - Parameter limit: for all of it.
  package func open(_ address: String, limit: Duration) async -> Outcome {
    let deadline = BootInstant.now + limit
    // The request's path is made from our own name and a token (portal documentation, Request),
    // so that its answer cannot come before we listen for it. The name is known once connected.
    guard let sender = await connectedName(limit: limit) else { return .failed }
    let token = "mero" + Hex.encode(SecureRandom.bytes(count: 8))
    let request = "\(Self.path)/request/\(sender)/\(token)"
    let answer = FirstAnswer<UInt32>()
    let timer = LoopTimer()
    do throws(BusError) {
      let subscription = try bus.subscribe(
        to: BusSignal(Self.name, request, "org.freedesktop.portal.Request", "Response")
      ) { reply in answer.give(try? reply.uint32()) }
      defer { subscription.end() }
      let method = BusMethod(
        Self.name, Self.path, "org.freedesktop.portal.OpenURI", "OpenURI")
      _ = try await bus.call(method, limit: limit) { (message) throws(BusError) in
        try message.append("")  // no parent window
        try message.append(address)
        try message.array(of: "{sv}") { () throws(BusError) in
          try message.entry("handle_token", "s") { () throws(BusError) in
            try message.append(token)
          }
        }
      }
      timer.arm(at: deadline) { answer.give(nil) }
      defer { timer.disarm() }
      switch await answer.value() {
      case 0: return .opened
      case 1: return .cancelled
      case nil: return .unknown
      default: return .failed
      }
    } catch {
      return error.code == ETIMEDOUT ? .unknown : .failed
    }
  }

  private func connectedName(limit: Duration) async -> String? {
    let ping = BusMethod(
      "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId")
    do throws(BusError) {
      _ = try await bus.call(ping, limit: limit) { (_) throws(BusError) in }
    } catch {
      return nil
    }
    return bus.uniqueName.map { name in
      String(name.dropFirst().map { $0 == "." ? "_" : $0 })
    }
  }
}

/// A value that comes once, from a callback.
@LoopActor final class FirstAnswer<Value: Sendable> {
  private var given: Value??
  private var waiting: UnsafeContinuation<Value?, Never>?

  func give(_ value: Value?) {
    guard given == nil else { return }
    given = .some(value)
    waiting?.resume(returning: value)
    waiting = nil
  }

  func value() async -> Value? {
    if let given { return given }
    return await withUnsafeContinuation { waiting = $0 }
  }
}
