import Crypto
package import EventLoop

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

  /// - Parameters:
  ///   - activationToken: lets the browser come to the front (Wayland's xdg-activation).
  ///   - deadline: for all of it. Who chooses among browsers takes longer: that is `.unknown`.
  package func open(
    _ address: String, activationToken: ActivationToken?, until deadline: BootInstant
  ) async -> Outcome {
    // The request's path is made from our own name and a token (portal documentation, Request),
    // so that its answer cannot come before we listen for it.
    guard let sender = await ownName(until: deadline) else { return .failed }
    let token = "mero" + Hex.encode(SecureRandom.bytes(count: 8))
    let request = "\(Self.path)/request/\(sender)/\(token)"
    let answer = Once<UInt32?>()
    do throws(BusError) {
      let subscription = try bus.subscribe(
        to: BusSignal(Self.name, request, "org.freedesktop.portal.Request", "Response")
      ) { reply in answer.give(try? reply.uint32()) }
      defer { subscription.end() }
      let method = BusMethod(
        Self.name, Self.path, "org.freedesktop.portal.OpenURI", "OpenURI")
      _ = try await bus.call(method, until: deadline) { (message) throws(BusError) in
        try message.append("")  // no parent window
        try message.append(address)
        try message.array(of: "{sv}") { () throws(BusError) in
          try message.entry("handle_token", "s") { () throws(BusError) in
            try message.append(token)
          }
          guard let activationToken else { return }
          try message.entry("activation_token", "s") { () throws(BusError) in
            try message.append(activationToken.text)
          }
        }
      }
      switch await answer.value(until: deadline, else: nil) {
      case 0: return .opened
      case 1: return .cancelled
      case nil: return .unknown
      default: return .failed
      }
    } catch {
      return error.isTimeout ? .unknown : .failed
    }
  }

  /// As it stands in object paths; known once the bus answered a call.
  private func ownName(until deadline: BootInstant) async -> String? {
    let anything = BusMethod(
      "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId")
    guard (try? await bus.call(anything, until: deadline)) != nil else { return nil }
    return bus.uniqueName.map { name in
      String(name.dropFirst().map { $0 == "." ? "_" : $0 })
    }
  }
}
