import EventLoop
import Glibc
import MeroConsent
import Sealed
import Testing

/// The proxy of the environment, in a process of its own for each case.
@Suite(.timeLimit(.minutes(2))) struct CurlProxyTests {
  @Test func aProxyIsAskedForANodeElsewhere() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let listener = try await Task { @LoopActor in try Listener.loopback4(port: 0) }.value
      setenv("https_proxy", "http://127.0.0.1:\(listener.address.port ?? 0)", 1)
      let node = try await TestNode.shared()
      let carrier = CurlCarrier(node: try NodeAddress("https://node.example"), store: node.store)
      let request = CarrierRequest(path: "/show", contentType: "a/b", body: [], replyLimit: 1000)
      let call = Task { await carrierError { _ = try await carrier.post(request) } }
      let asked = try await Task { @LoopActor in
        let stream = try await listener.accept()
        var bytes: [UInt8] = []
        _ = try await stream.read(into: &bytes, limit: 1000)
        try await stream.write(Array("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n".utf8))
        stream.close()
        return String(decoding: bytes, as: UTF8.self)
      }.value
      guard asked.hasPrefix("CONNECT node.example:443 HTTP/1.1\r\n") else { exit(1) }
      // The proxy's own answer is not the node's.
      exit(await call.value == CarrierError(.notConnected, requestMayHaveLeft: false) ? 0 : 2)
    }
  }

  @Test func aNodeOnThisMachineIsReachedWithoutOne() async {
    await #expect(processExitsWith: .exitCode(0)) {
      // Nobody listens there.
      for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        setenv(name, "http://127.0.0.1:1", 1)
      }
      let node = try await TestNode.shared()
      for server in ["plain", "node"] {
        guard try await node.carrier(server).exchange("show").head.status == 200 else { exit(1) }
      }
      exit(0)
    }
  }

  /// C-151: a resolver that never answers. The call ends at its connect limit, and the loop
  /// goes on meanwhile: libcurl must not wait for its resolver's thread.
  @Test(.enabled(if: geteuid() == 0, "needs a mount namespace"))
  func aResolverThatHangsHoldsUpNothing() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let node = try await TestNode.shared()
      guard await Task(operation: { @LoopActor in hangResolver(in: node.directory) }).value else {
        exit(0)
      }
      var limits = CarrierLimits()
      limits.connect = .milliseconds(300)
      let carrier = CurlCarrier(
        node: try NodeAddress("https://node.example"), limits: limits, store: node.store)
      let start = BootInstant.now
      let error = await carrierError { _ = try await carrier.exchange("show") }
      guard error == CarrierError(.timedOut, requestMayHaveLeft: false) else { exit(1) }
      await Task { @LoopActor in }.value
      exit(BootInstant.now - start < .seconds(25) ? 0 : 2)
    }
  }
}

/// Gives the loop's thread, and the threads that it starts, a resolver that takes questions and
/// answers none.
@LoopActor private func hangResolver(in directory: String) -> Bool {
  typealias Unshare = @convention(c) (CInt) -> CInt
  typealias Mount =
    @convention(c) (
      UnsafePointer<CChar>?, UnsafePointer<CChar>, UnsafePointer<CChar>?, CUnsignedLong,
      UnsafeRawPointer?
    ) -> CInt
  guard let unshare = dlsym(nil, "unshare").map({ unsafeBitCast($0, to: Unshare.self) }),
    let mount = dlsym(nil, "mount").map({ unsafeBitCast($0, to: Mount.self) })
  else { return false }
  let mute = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = UInt16(53).bigEndian
  address.sin_addr.s_addr = UInt32(0x7f00_0035).bigEndian
  let bound = withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(mute, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  let file = directory + "/resolv.conf"
  let text = "nameserver 127.0.0.53\noptions timeout:30 attempts:2\n"
  // CLONE_NEWNS; MS_REC | MS_PRIVATE; MS_BIND.
  return bound == 0 && (try? Files.replace(file, with: Array(text.utf8), mode: 0o644)) != nil
    && unshare(0x20000) == 0 && mount("none", "/", nil, 0x44000, nil) == 0
    && mount(file, "/etc/resolv.conf", nil, 0x1000, nil) == 0
}
