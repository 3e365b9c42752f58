import EventLoop
import Testing

@testable import Desktop

@Suite struct BusAddressTests {
  @Test func isTheOneThatTheEnvironmentNames() {
    let named = ["DBUS_SESSION_BUS_ADDRESS": "unix:abstract=/x,guid=1", "XDG_RUNTIME_DIR": "/r"]
    #expect(BusAddress.session(named) == "unix:abstract=/x,guid=1")
    #expect(BusAddress.session(["XDG_RUNTIME_DIR": "/run/user/7"]) == "unix:path=/run/user/7/bus")
    #expect(
      BusAddress.session(["XDG_RUNTIME_DIR": "/r,;% é"]) == "unix:path=/r%2c%3b%25%20%c3%a9/bus")
    #expect(BusAddress.session(["XDG_RUNTIME_DIR": "r"]) == nil)
    #expect(BusAddress.session([:]) == nil)
  }

  @Test(arguments: ["unixexec:path=/bin/x", "tcp:host=x", "autolaunch:", "unix:path=/x;tcp:host=x"])
  func isNoneThatWouldRunOrResolveSomething(address: String) {
    #expect(BusAddress.session(["DBUS_SESSION_BUS_ADDRESS": address]) == nil)
  }

  @Test func aBusThatIsNotThereIsSaidAtOnce() async {
    for environment in [[:], ["XDG_RUNTIME_DIR": "/nonexistent"]] {
      await #expect(throws: BusError.self) { try await bus(environment) }
    }
  }

  @LoopActor func bus(_ environment: [String: String]) throws { _ = try SessionBus(environment) }
}
