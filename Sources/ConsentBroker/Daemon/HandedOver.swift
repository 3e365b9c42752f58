import EventLoop

/// The sockets of the service manager on their way to the loop.
final class HandedOver: Sendable {
  /// Whether a socket woke this process: then it answers what is wrong and does not exit.
  let isWoken: Bool
  let hasCallback: Bool
  private let api: OwnedDescriptor?
  private let callback4: OwnedDescriptor?
  private let callback6: OwnedDescriptor?
  /// What a former process had put into the manager's store.
  let stored: [SessionSecrets.Stored]

  init(_ activation: inout ActivationSockets) {
    isWoken = activation.any
    hasCallback = activation.hasCallback
    api = activation.api.take()
    callback4 = activation.callback4.take()
    callback6 = activation.callback6.take()
    stored = activation.takeStored()
  }

  /// Listeners over duplicates: the sockets themselves stay as the manager gave them, and a
  /// second try at starting finds them again.
  @LoopActor func listeners() throws(SystemError) -> Daemon.Adopted {
    let ipv4 = try Self.listener(callback4)
    let ipv6 = try Self.listener(callback6)
    return Daemon.Adopted(
      api: try Self.listener(api), callback: CallbackListeners(adopting: ipv4, ipv6))
  }

  @LoopActor private static func listener(
    _ descriptor: borrowing OwnedDescriptor?
  ) throws(SystemError) -> Listener? {
    switch descriptor {
    case .some(let descriptor): try Listener(adopting: descriptor.duplicate())
    case .none: nil
    }
  }
}
