import EventLoop
import Glibc
import Testing

/// C-001, C-002, C-004, C-008.
@Suite struct LoopbackListenersTests {
  @Test @LoopActor func holdsOnePortOnBothFamilies() throws {
    let both = try LoopbackListeners(preferring: nil)
    #expect(both.port != 0)
    #expect(both.ip4.address == .loopback4(port: both.port))
    #expect(both.ip6?.address == .loopback6(port: both.port))
    both.close()
  }

  @Test @LoopActor func aFixedPortThatIsTakenOnEitherFamilyIsRefused() throws {
    let foreign6 = try Listener.loopback6(port: 0)
    let port6 = try #require(foreign6.port)
    #expect(throws: LoopbackListeners.Failure.portInUse(port6, .ip6)) {
      _ = try LoopbackListeners(port: port6)
    }
    // Nothing stays open: the same attempt finds the other family free again.
    #expect(throws: LoopbackListeners.Failure.portInUse(port6, .ip6)) {
      _ = try LoopbackListeners(port: port6)
    }
    let foreign4 = try Listener.loopback4(port: 0)
    let port4 = try #require(foreign4.port)
    #expect(throws: LoopbackListeners.Failure.portInUse(port4, .ip4)) {
      _ = try LoopbackListeners(port: port4)
    }
    foreign4.close()
    foreign6.close()
  }

  /// Somebody listens on all addresses, of both families with one socket.
  @Test @LoopActor func aWildcardListenerTakesThePortToo() throws {
    let number = socket(AF_INET6, CInt(SOCK_STREAM.rawValue), 0)
    var off: CInt = 0
    setsockopt(
      number, CInt(IPPROTO_IPV6), IPV6_V6ONLY, &off, socklen_t(MemoryLayout<CInt>.size))
    try #require(listen(number, 1) == 0)
    let foreign = try Listener(adopting: OwnedDescriptor(adopting: number))
    let port = try #require(foreign.port)
    #expect(throws: LoopbackListeners.Failure.portInUse(port, .ip4)) {
      _ = try LoopbackListeners(port: port)
    }
    foreign.close()
  }

  @Test @LoopActor func aRememberedPortIsUsedWhileItIsFree() async throws {
    #expect(
      try await oneOf(20) {
        let first = try LoopbackListeners(preferring: nil)
        first.close()
        let second = try LoopbackListeners(preferring: first.port)
        defer { second.close() }
        return second.port == first.port
      })
  }

  @Test @LoopActor func aRememberedPortThatIsTakenIsLeft() throws {
    let first = try LoopbackListeners(preferring: nil)
    let second = try LoopbackListeners(preferring: first.port)
    #expect(second.port != first.port)
    #expect(second.ip6?.port == second.port)
    first.close()
    second.close()
  }

  @Test @LoopActor func aConnectionOfAnEarlierRunDoesNotHoldThePort() async throws {
    #expect(
      try await oneOf(20) {
        let first = try LoopbackListeners(preferring: nil)
        let client = try await Connector.connect(to: .loopback4(port: first.port))
        let server = try await first.ip4.accept()
        // Whoever closes first is left in TIME_WAIT.
        server.close()
        client.close()
        first.close()
        let second = try? LoopbackListeners(port: first.port)
        second?.close()
        return second != nil
      })
  }

  /// Between a close and the next bind any process may be given the port.
  @LoopActor private func oneOf(
    _ attempts: Int, _ body: @LoopActor () async throws -> Bool
  ) async throws -> Bool {
    for _ in 0..<attempts where try await body() { return true }
    return false
  }

  /// C-004: both shapes of a machine without IPv6, in a network of the test's own.
  @Test(.enabled(if: geteuid() == 0, "needs a network namespace"), arguments: [true, false])
  func aMachineWithoutIPv6IsServedOnTheOtherFamily(_ loopbackOnly: Bool) async {
    await #expect(processExitsWith: .exitCode(0)) { [loopbackOnly] in
      exit(
        await Task { @LoopActor in await listenWithoutIPv6(loopbackOnly) }.value)
    }
  }
}

@LoopActor private func listenWithoutIPv6(_ loopbackOnly: Bool) async -> CInt {
  typealias Unshare = @convention(c) (CInt) -> CInt
  guard let unshare = dlsym(nil, "unshare").map({ unsafeBitCast($0, to: Unshare.self) }),
    unshare(0x4000_0000) == 0  // CLONE_NEWNET
  else { return 0 }
  // SIOCSIFFLAGS, "lo", IFF_UP | IFF_RUNNING. A child of this thread is in the same network.
  let up =
    "import fcntl,socket,struct; fcntl.ioctl(socket.socket(), 0x8914, struct.pack('16sh14x', b'lo', 0x41))"
  let path = "PATH=" + (getenv("PATH").map { String(cString: $0) } ?? "")
  guard
    let child = try? ChildProcess.spawn(
      .init(path: "/usr/bin/env", arguments: ["python3", "-c", up], environment: [path, "HOME=/"])),
    await child.waitForExit() == .code(0)
  else { return 1 }
  let setting = "/proc/sys/net/ipv6/conf/\(loopbackOnly ? "lo" : "all")/disable_ipv6"
  guard let file = try? Files.open(setting, .write), (try? file.writeAll([0x31])) != nil else {
    return 2
  }
  guard let listeners = try? LoopbackListeners(preferring: nil) else { return 3 }
  guard listeners.ip6 == nil else { return 4 }
  guard (try? await Connector.connect(to: .loopback4(port: listeners.port))) != nil else {
    return 5
  }
  return 0
}
