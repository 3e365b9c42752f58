import Glibc

/// Connects to a local program.
@LoopActor package enum Connector {
  /// How often a Unix socket with a full backlog is tried again: the kernel refuses a
  /// non-blocking connect there with EAGAIN and tells nobody when there is room.
  private static let retryInterval: Duration = .milliseconds(20)

  /// - Throws: `.timedOut` at `deadline`, `.closed` when the task is cancelled before, and
  ///   `.system` with the error of `connect`, such as `ECONNREFUSED` and `ENOENT`.
  package static func connect(
    to address: SocketAddress, deadline: BootInstant? = nil
  ) async throws(StreamError) -> SocketStream {
    while true {
      do {
        let stream = try start(address)
        try await stream.closingOnCancel { () async throws(StreamError) in
          try await stream.finishConnecting(until: deadline)
        }
        return stream
      } catch .system(let error) where error.code == EAGAIN {
        if let deadline, deadline <= .now { throw .timedOut }
        do { try await LoopActor.sleep(for: retryInterval) } catch { throw .closed }
      }
    }
  }

  package static func unix(
    path: String, deadline: BootInstant? = nil
  ) async throws(StreamError) -> SocketStream {
    try await connect(to: .unix(path: path), deadline: deadline)
  }

  /// A socket that is connected or on its way.
  private static func start(_ address: SocketAddress) throws(StreamError) -> SocketStream {
    do throws(SystemError) {
      let descriptor = try OwnedDescriptor.streamSocket(address.family)
      if address.port != nil { try descriptor.setOption(CInt(IPPROTO_TCP), TCP_NODELAY, to: 1) }
      let number = descriptor.withNumber { $0 }
      do throws(SystemError) {
        try address.withKernelForm { form, length throws(SystemError) in
          _ = try systemCall("connect") { Glibc.connect(number, form, length) }
        }
      } catch  where error.code == EINPROGRESS || error.code == EINTR {
        // It goes on; the socket becomes writable when it is done.
      }
      return try SocketStream(adopting: descriptor)
    } catch {
      throw .system(error)
    }
  }
}
