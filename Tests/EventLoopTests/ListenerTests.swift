import EventLoop
import Glibc
import Testing

@Suite struct ListenerTests {
  @Test @LoopActor func bothLoopbackFamiliesShareAPort() async throws {
    let four = try Listener.loopback4(port: 0)
    let port = try #require(four.port)
    let six = try Listener.loopback6(port: port)
    #expect(six.port == port)
    for address in [SocketAddress.loopback4(port: port), .loopback6(port: port)] {
      let client = try await Connector.connect(to: address, deadline: .now + .seconds(5))
      #expect(client.remoteAddress == address)
      #expect(client.peer == nil)
    }
    let server = try await six.accept()
    #expect(server.localAddress == .loopback6(port: port))
  }

  @Test @LoopActor func aPortInUseIsRefused() throws {
    let first = try Listener.loopback4(port: 0)
    let port = try #require(first.port)
    #expect(throws: SystemError(call: "bind", code: EADDRINUSE)) {
      _ = try Listener.loopback4(port: port)
    }
    let six = try Listener.loopback6(port: 0)
    #expect(throws: SystemError(call: "bind", code: EADDRINUSE)) {
      _ = try Listener.loopback6(port: try #require(six.port))
    }
  }

  @Test @LoopActor func connectionsWaitFromTheMomentItExists() async throws {
    let listener = try Listener.loopback4(port: 0)
    let port = try #require(listener.port)
    let client = try await Connector.connect(to: .loopback4(port: port))
    try await client.write([1])
    let server = try await listener.accept()
    var bytes: [UInt8] = []
    #expect(try await server.read(into: &bytes, limit: 1) == 1)
  }

  @Test @LoopActor func acceptWaitsAndGoesOn() async throws {
    let listener = try Listener.loopback4(port: 0)
    let port = try #require(listener.port)
    let accepting = Task {
      var count = 0
      while count < 20 {
        _ = try await listener.accept()
        count += 1
      }
      return count
    }
    var clients: [SocketStream] = []
    for _ in 0..<20 { clients.append(try await Connector.connect(to: .loopback4(port: port))) }
    #expect(try await accepting.value == 20)
  }

  @Test @LoopActor func closeEndsAPendingAccept() async throws {
    let listener = try Listener.loopback4(port: 0)
    let accepting = Task { _ = try await listener.accept() }
    await Task.yield()
    listener.close()
    await #expect(throws: StreamError.closed) { try await accepting.value }
    await #expect(throws: StreamError.closed) { _ = try await listener.accept() }
  }

  // MARK: Passed by the service manager

  @Test @LoopActor func adoptsAListeningSocket() async throws {
    let number = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    try #require(listen(number, 5) == 0)
    let listener = try Listener(adopting: OwnedDescriptor(adopting: number))
    #expect(fcntl(number, F_GETFD) == FD_CLOEXEC)
    #expect(fcntl(number, F_GETFL) & O_NONBLOCK != 0)
    let port = try #require(listener.port)
    #expect(listener.address == .ip4(address: 0, port: port))
    #expect(!listener.address.isLoopback)
    let client = try await Connector.connect(to: .loopback4(port: port))
    let server = try await listener.accept()
    #expect(server.remoteAddress == client.localAddress)
  }

  @Test(arguments: [SOCK_STREAM, SOCK_DGRAM]) @LoopActor
  func adoptsNothingThatDoesNotListen(_ type: __socket_type) throws {
    let number = socket(AF_INET, CInt(type.rawValue), 0)
    #expect(throws: SystemError(call: "listen", code: EINVAL)) {
      _ = try Listener(adopting: OwnedDescriptor(adopting: number))
    }
  }

  // MARK: No descriptors left (C-103)

  @Test func waitsOutALackOfDescriptors() async {
    await #expect(processExitsWith: .exitCode(0)) {
      await Task { @LoopActor in
        do { try await starve() } catch { exit(9) }
      }.value
    }
  }
}

/// Fills the descriptor table with silent connections, and checks what that costs.
@LoopActor private func starve() async throws {
  let listener = try Listener.loopback4(port: 0)
  let port = try #require(listener.port)
  var reports: [SystemError] = []
  listener.onExhausted = { reports.append($0) }
  var served: [SocketStream] = []
  let serving = Task {
    while let stream = try? await listener.accept() { served.append(stream) }
  }
  var clients: [SocketStream] = []
  for _ in 0..<20 { clients.append(try await Connector.connect(to: .loopback4(port: port))) }
  while served.count < 20 { await Task.yield() }

  // The clients are in this process too: leave room for them, but not for their other ends.
  let spare = open("/dev/null", O_RDONLY)
  close(spare)
  var limit = rlimit(rlim_cur: rlim_t(spare) + 10, rlim_max: 4096)
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  do {
    while true { clients.append(try await Connector.connect(to: .loopback4(port: port))) }
  } catch {
    guard case .system(let error) = error, error.code == EMFILE else { exit(1) }
  }
  let before = processorTime()
  try await LoopActor.sleep(for: .seconds(1))
  if processorTime() - before > 0.05 { exit(2) }
  if reports != [SystemError(call: "accept4", code: EMFILE)] { exit(3) }

  clients.removeAll()
  served.removeAll()
  let client = try await Connector.connect(to: .loopback4(port: port))
  let deadline = BootInstant.now + .seconds(5)
  while served.last?.remoteAddress != client.localAddress {
    if .now > deadline { exit(4) }
    try await LoopActor.sleep(for: .milliseconds(1))
  }
  if reports.count != 1 { exit(5) }
  listener.close()
  await serving.value
}

private func processorTime() -> Double {
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  let times = [usage.ru_utime, usage.ru_stime]
  return times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1_000_000 }
}
