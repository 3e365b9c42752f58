package import EventLoop

/// Which services are on a bus, or would be started by a call (D-Bus specification, "Message Bus
/// Messages").
@LoopActor package struct BusServices {
  private let bus: SessionBus

  package init(on bus: SessionBus) { self.bus = bus }

  private static func method(_ member: String) -> BusMethod {
    BusMethod("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", member)
  }

  /// Whether somebody has the name, or a call would start somebody who takes it.
  package func has(_ name: String, until deadline: BootInstant) async throws(BusError) -> Bool {
    let owner = try await bus.call(Self.method("NameHasOwner"), until: deadline) {
      (message) throws(BusError) in try message.append(name)
    }
    if try owner.flag() { return true }
    let names = try await bus.call(Self.method("ListActivatableNames"), until: deadline)
    return try names.strings().contains(name)
  }
}
