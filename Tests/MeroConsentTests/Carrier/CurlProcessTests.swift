import COpenSSL
import EventLoop
import Glibc
import MeroConsent
import Sealed
import Testing

/// What many transfers do to the process as a whole.
@Suite(.timeLimit(.minutes(2))) struct CurlProcessTests {
  /// C-149: 500 calls at once, of which half are cancelled and the others time out or end.
  @Test func manyCallsLeaveNothingBehind() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let node = try await TestNode.shared()
      _ = try await node.carrier().exchange("show")
      let before = openDescriptors()
      let carrier = try node.carrier { $0.call = .milliseconds(1500) }
      let paths = ["silent", "show", "drip", "reset/late", "big/100000"]
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<500 {
          group.addTask {
            let call = Task {
              await carrierError { _ = try await carrier.exchange(paths[number % 5]) }
            }
            if number % 2 == 0 {
              try? await LoopActor.sleep(for: .milliseconds(number))
              call.cancel()
            }
            _ = await call.value
          }
        }
      }
      if await carrier.transferCount != 0 { exit(1) }
      await carrier.close()
      await Task { @LoopActor in }.value
      let after = openDescriptors()
      exit(after <= before ? 0 : 2)
    }
  }

  /// C-151: each way in which a peer can end while libcurl or OpenSSL still writes.
  @Test func resetsDoNotEndTheProcess() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let node = try await TestNode.shared()
      let carrier = try node.carrier()
      let handshake = try node.carrier("reset-handshake")
      let body = String(repeating: "x", count: 300_000)
      for _ in 0..<50 {
        _ = await carrierError { _ = try await carrier.exchange("reset/early", body: body) }
        _ = await carrierError { _ = try await carrier.exchange("reset/late") }
        _ = await carrierError { _ = try await carrier.exchange("last") }
        _ = await carrierError { _ = try await handshake.exchange("show") }
      }
      exit(try await carrier.exchange("show").head.status == 200 ? 0 : 1)
    }
  }

  /// C-150: the process ends in the middle of a transfer.
  @Test func theProcessEndsCleanlyDuringATransfer() async {
    for _ in 0..<5 {
      await #expect(processExitsWith: .exitCode(0)) {
        let node = try await TestNode.shared()
        let carrier = try node.carrier()
        let call = Task { await carrierError { _ = try await carrier.exchange("silent/exit") } }
        let counter = try node.carrier()
        while try await counter.requestsSeen("silent/exit") == 0 {}
        await carrier.close()
        exit(await call.value?.reason == .closed ? 0 : 1)
      }
    }
  }

  /// C-157.
  @Test @LoopActor func aLeftOverOpenSSLErrorSpoilsNothing() async throws {
    let carrier = try await TestNode.shared().carrier()
    for _ in 0..<2 {
      // A failed parse on the thread that makes the call.
      let bytes: [UInt8] = [1, 2, 3]
      bytes.withUnsafeBufferPointer { bytes in
        var start = bytes.baseAddress
        #expect(d2i_X509(nil, &start, bytes.count) == nil)
      }
      #expect(ERR_peek_error() != 0)
      #expect(try await carrier.exchange("show").head.status == 200)
    }
    await carrier.close()
  }

  @Test func theSocketsOfLibcurlAreNotInherited() async throws {
    let carrier = try await TestNode.shared().carrier("plain")
    let reply = try await carrier.post(
      CarrierRequest(path: "/drip", contentType: "a/b", body: [], replyLimit: 2_000_000))
    for number in CInt(3)..<1024 {
      var status = stat()
      guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { continue }
      var address = sockaddr_in()
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      _ = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(number, $0, &size) }
      }
      guard address.sin_family == sa_family_t(AF_INET) else { continue }
      #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
    }
    reply.abandon()
    await carrier.close()
  }
}

private func openDescriptors() -> Int {
  (0..<4096).count { fcntl(CInt($0), F_GETFD) != -1 }
}
