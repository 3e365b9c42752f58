import CSystemd
import Crypto
package import EventLoop
import Glibc

/// The person's service manager over D-Bus: the desktop's environment as it is now, and programs
/// that run outside of our own sandbox and control group.
@LoopActor package struct UserManager {
  private let bus: SessionBus

  package init(on bus: SessionBus) { self.bus = bus }

  private static let name = "org.freedesktop.systemd1"
  private static let path = "/org/freedesktop/systemd1"

  private static func method(_ interface: String, _ member: String) -> BusMethod {
    var method = BusMethod(name, path, interface, member)
    // A bus without a service manager is none that could start one.
    method.startsService = false
    return method
  }

  /// The variables that every program which it starts gets. The daemon may have started before
  /// the desktop, so its own environment says nothing about displays.
  package func environment(until deadline: BootInstant) async throws(BusError) -> [String: String] {
    let get = Self.method("org.freedesktop.DBus.Properties", "Get")
    let reply = try await bus.call(get, until: deadline) { (message) throws(BusError) in
      try message.append("org.freedesktop.systemd1.Manager")
      try message.append("Environment")
    }
    var result: [String: String] = [:]
    for line in try reply.variantOfStrings() {
      guard let sign = line.firstIndex(of: "=") else { continue }
      result[String(line[..<sign])] = String(line[line.index(after: sign)...])
    }
    return result
  }

  /// How many descriptors the manager keeps for this process's own service
  /// (`FileDescriptorStoreMax=`).
  ///
  /// - Throws: also where this process is no service of the manager's.
  package func descriptorStoreLimit(until deadline: BootInstant) async throws(BusError) -> Int {
    let find = Self.method("org.freedesktop.systemd1.Manager", "GetUnitByPID")
    let unit = try await bus.call(find, until: deadline) { (message) throws(BusError) in
      try message.append(UInt32(getpid()))
    }
    var get = BusMethod(
      Self.name, try unit.objectPath(), "org.freedesktop.DBus.Properties", "Get")
    get.startsService = false
    let reply = try await bus.call(get, until: deadline) { (message) throws(BusError) in
      try message.append("org.freedesktop.systemd1.Service")
      try message.append("FileDescriptorStoreMax")
    }
    return Int(try reply.variantOfUInt32())
  }

  /// A program for a unit of its own.
  package struct Program: Sendable {
    /// An absolute path.
    package var path: String
    package var arguments: [String]
    /// Added to the manager's environment, and in place of what is there.
    package var environment: [String: String]
    /// Names that the program does not get from the manager.
    package var unset: [String]

    package init(
      path: String, arguments: [String], environment: [String: String] = [:], unset: [String] = []
    ) {
      self.path = path
      self.arguments = arguments
      self.environment = environment
      self.unset = unset
    }
  }

  /// Runs a program in a unit of its own.
  ///
  /// The unit lasts as long as any process of it, so that a browser which an opener started
  /// outlives the opener; it goes away by itself.
  ///
  /// - Parameter limit: how long its end is waited for, from now.
  /// - Returns: how the program ended, where it did within the limit; a program that cannot be
  ///   executed ends with code 203.
  /// - Throws: where the manager did not take it, or (`isTimeout`) did not say in time.
  package func run(
    _ program: Program, until limit: BootInstant
  ) async throws(BusError) -> ChildProcess.Exit? {
    let unit = "mero-consent-open-\(Hex.encode(SecureRandom.bytes(count: 8))).service"
    let end = Once<ChildProcess.Exit?>()
    let subscription = try bus.subscribe(
      to: BusSignal(
        Self.name, try Self.objectPath(of: unit), "org.freedesktop.DBus.Properties",
        "PropertiesChanged")
    ) { signal in
      if let exit = Self.exit(in: signal) { end.give(exit) }
    }
    defer { subscription.end() }
    // Without a subscriber the manager sends no signals of units.
    let subscribe = Self.method("org.freedesktop.systemd1.Manager", "Subscribe")
    _ = try await bus.call(subscribe, until: limit)
    let start = Self.method("org.freedesktop.systemd1.Manager", "StartTransientUnit")
    _ = try await bus.call(start, until: limit) { (message) throws(BusError) in
      try message.append(unit)
      try message.append("fail")
      try message.array(of: "(sv)") { () throws(BusError) in
        try program.write(to: message)
      }
      try message.array(of: "(sa(sv))") { () throws(BusError) in }
    }
    return await end.value(until: limit, else: nil)
  }

  private static func objectPath(of unit: String) throws(BusError) -> String {
    var encoded: UnsafeMutablePointer<CChar>?
    try check(sd_bus_path_encode(path + "/unit", unit, &encoded), "sd_bus_path_encode")
    guard let encoded else { throw BusError(call: "sd_bus_path_encode", code: ENOMEM) }
    defer { free(encoded) }
    return String(cString: encoded)
  }

  /// How a service's main process ended, where the signal tells that it did.
  private static func exit(in signal: BusReply) -> ChildProcess.Exit? {
    guard (try? signal.string()) == "org.freedesktop.systemd1.Service",
      let values = try? signal.integers(), let status = values["ExecMainStatus"]
    else { return nil }
    // The codes of waitid(2): 1 is an exit, 2 and 3 are signals, 0 is a process that still runs.
    switch values["ExecMainCode"].map(Int.init) {
    case CLD_EXITED: return .code(status)
    case CLD_KILLED, CLD_DUMPED: return .signal(status)
    default: return nil
    }
  }
}

extension UserManager.Program {
  /// The properties of its unit. What a service has by default and a program of the desktop has
  /// not is turned off: an ignored SIGPIPE, and an end of all when one process runs out of memory.
  fileprivate func write(to message: borrowing BusMessage) throws(BusError) {
    for (name, value) in [
      ("Description", "Opening a consent page"), ("Type", "exec"), ("ExitType", "cgroup"),
      ("CollectMode", "inactive-or-failed"), ("OOMPolicy", "continue"),
      ("StandardInput", "null"), ("StandardOutput", "null"), ("StandardError", "null"),
    ] {
      try message.property(name, "s") { () throws(BusError) in try message.append(value) }
    }
    try message.property("IgnoreSIGPIPE", "b") { () throws(BusError) in try message.append(false) }
    try message.property("Environment", "as") { () throws(BusError) in
      try message.append(environment.map { "\($0.key)=\($0.value)" }.sorted())
    }
    try message.property("UnsetEnvironment", "as") { () throws(BusError) in
      try message.append(unset)
    }
    // The plain `ExecStart` would read `$NAME` in an address as a variable.
    try message.property("ExecStartEx", "a(sasas)") { () throws(BusError) in
      try message.array(of: "(sasas)") { () throws(BusError) in
        try message.structure("sasas") { () throws(BusError) in
          try message.append(path)
          try message.append([path] + arguments)
          try message.append(["no-env-expand"])
        }
      }
    }
  }
}
