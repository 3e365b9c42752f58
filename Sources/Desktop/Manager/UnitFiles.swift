package import EventLoop

/// The person's unit files, as their service manager sees them.
@LoopActor package struct UnitFiles {
  private let bus: SessionBus

  package init(on bus: SessionBus) { self.bus = bus }

  /// `enabled`, `disabled`, `masked`, `static` …; `nil` where there is no such unit.
  ///
  /// - Throws: where no service manager answers.
  package func state(
    of unit: String, until deadline: BootInstant
  ) async throws(BusError) -> String? {
    var method = BusMethod(
      "org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager",
      "GetUnitFileState")
    method.startsService = false
    do throws(BusError) {
      let reply = try await bus.call(method, until: deadline) { (message) throws(BusError) in
        try message.append(unit)
      }
      return try reply.string()
    } catch {
      // "No such file or directory" as a D-Bus error of its own.
      guard error.name == "org.freedesktop.DBus.Error.FileNotFound" else { throw error }
      return nil
    }
  }
}
