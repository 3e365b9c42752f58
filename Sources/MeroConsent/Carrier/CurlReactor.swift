import CCurl
import EventLoop

/// Lets the event loop drive one multi handle: libcurl says which sockets to watch and when to
/// come back, and is called when something happens. No thread waits for anything.
@LoopActor final class CurlReactor {
  /// Something happened on a socket (`CURL_CSELECT_…`), or the time has come
  /// (`CURL_SOCKET_TIMEOUT`).
  var onAction: (@LoopActor (curl_socket_t, CInt) -> Void)?

  private var sources: [curl_socket_t: ReadinessSource] = [:]
  private let timer = LoopTimer()

  init() {}

  isolated deinit { timer.disarm() }

  /// - Precondition: this object outlives `multi`, which keeps its address.
  func attach(to multi: UnsafeMutableRawPointer) {
    let me = Unmanaged.passUnretained(self).toOpaque()
    ccurl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, me)
    ccurl_multi_set_socket(multi, socketChanged)
    ccurl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, me)
    ccurl_multi_set_timer(multi, timerChanged)
  }

  fileprivate func watch(_ socket: curl_socket_t, _ what: CInt) -> CInt {
    if what == CURL_POLL_REMOVE {
      // libcurl closes it after this call, so the loop must have let go of it now.
      sources.removeValue(forKey: socket)?.cancel()
      return 0
    }
    var interest: Interest = []
    if what & CURL_POLL_IN != 0 { interest.insert(.readable) }
    if what & CURL_POLL_OUT != 0 { interest.insert(.writable) }
    do {
      if let source = sources[socket] {
        try source.change(to: interest)
      } else {
        sources[socket] = try ReadinessSource(watching: socket, for: interest) { [weak self] in
          self?.onAction?(socket, Self.select($0))
        }
      }
      return 0
    } catch {
      return -1
    }
  }

  private static func select(_ readiness: Readiness) -> CInt {
    var select: CInt = 0
    // A hang-up is found by reading.
    if !readiness.isDisjoint(with: [.readable, .hungUp]) { select |= CURL_CSELECT_IN }
    if readiness.contains(.writable) { select |= CURL_CSELECT_OUT }
    if readiness.contains(.failed) { select |= CURL_CSELECT_ERR }
    return select
  }

  fileprivate func setTimer(_ milliseconds: Int) -> CInt {
    if milliseconds < 0 {
      timer.disarm()
    } else {
      timer.arm(after: .milliseconds(milliseconds)) { [weak self] in
        self?.onAction?(CURL_SOCKET_TIMEOUT, 0)
      }
    }
    return 0
  }
}

// libcurl calls back only from inside the calls that are made to it, on the loop's thread.

private func socketChanged(
  _ easy: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ what: CInt,
  _ me: UnsafeMutableRawPointer?, _ unused: UnsafeMutableRawPointer?
) -> CInt {
  onLoop(CurlReactor.self, me) { $0.watch(socket, what) } ?? -1
}

private func timerChanged(
  _ multi: UnsafeMutableRawPointer?, _ milliseconds: Int, _ me: UnsafeMutableRawPointer?
) -> CInt {
  onLoop(CurlReactor.self, me) { $0.setTimer(milliseconds) } ?? -1
}

/// Calls `body` with the object whose address libcurl was given.
///
/// - Precondition: the object lives, and this is the loop's thread.
func onLoop<Object: AnyObject, R: Sendable>(
  _ type: Object.Type, _ address: UnsafeMutableRawPointer?, _ body: @LoopActor (Object) -> R
) -> R? {
  nonisolated(unsafe) let address = address
  return LoopActor.assumeIsolated {
    guard let address else { return nil }
    return body(Unmanaged<Object>.fromOpaque(address).takeUnretainedValue())
  }
}
