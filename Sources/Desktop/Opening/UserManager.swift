import Crypto
package import EventLoop

/// The person's service manager over D-Bus: the desktop's environment as it is now, and programs
/// that run outside of our own sandbox and control group.
@LoopActor package struct UserManager {
  private let bus: SessionBus

  package init(on bus: SessionBus) { self.bus = bus }

  private static let name = "org.freedesktop.systemd1"
  private static let path = "/org/freedesktop/systemd1"
  private static let limit = Duration.seconds(2)

  /// Lines `NAME=value`. The daemon may have started before the desktop, so its own environment
  /// says nothing about displays.
  package func environment() async throws(BusError) -> [String] {
    let method = BusMethod(
      Self.name, Self.path, "org.freedesktop.DBus.Properties", "Get")
    let reply = try await bus.call(method, limit: Self.limit) { (message) throws(BusError) in
      try message.append("org.freedesktop.systemd1.Manager")
      try message.append("Environment")
    }
    return try reply.variantOfStrings()
  }

  /// Runs a program in a unit of its own, with the manager's environment.
  ///
  /// The unit lasts as long as any process of it, so that a browser which the opener started
  /// outlives the opener, and it goes away by itself.
  ///
  /// - Returns: the unit's name, once the program was executed.
  package func run(_ program: String, _ arguments: [String]) async throws(BusError) -> String {
    let unit = "mero-consent-open-\(Hex.encode(SecureRandom.bytes(count: 8))).service"
    let method = BusMethod(
      Self.name, Self.path, "org.freedesktop.systemd1.Manager", "StartTransientUnit")
    _ = try await bus.call(method, limit: Self.limit) { (message) throws(BusError) in
      try message.append(unit)
      try message.append("fail")
      try message.array(of: "(sv)") { () throws(BusError) in
        try message.append(structure: "Description", text: "Opening a consent page")
        try message.append(structure: "Type", text: "exec")
        try message.append(structure: "ExitType", text: "cgroup")
        try message.append(structure: "CollectMode", text: "inactive-or-failed")
        try message.append(structure: "StandardOutput", text: "null")
        try message.append(structure: "StandardError", text: "null")
        try message.structure("sv") { () throws(BusError) in
          try message.append("ExecStart")
          try message.variant("a(sasb)") { () throws(BusError) in
            try message.array(of: "(sasb)") { () throws(BusError) in
              try message.structure("sasb") { () throws(BusError) in
                try message.append(program)
                try message.array(of: "s") { () throws(BusError) in
                  try message.append(program)
                  for argument in arguments { try message.append(argument) }
                }
                try message.append(false)
              }
            }
          }
        }
      }
      try message.array(of: "(sa(sv))") { () throws(BusError) in }
    }
    return unit
  }
}
