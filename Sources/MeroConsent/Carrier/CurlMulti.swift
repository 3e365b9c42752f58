import CCurl
import EventLoop

/// The transfers of one carrier and the connections that they share.
@LoopActor final class CurlMulti {
  private var owner: CurlMultiHandle?
  private let multi: UnsafeMutableRawPointer
  private let reactor = CurlReactor()
  private var transfers: [UnsafeMutableRawPointer: CurlTransfer] = [:]

  init() throws(CurlFailure) {
    let owner = try CurlMultiHandle()
    multi = owner.pointer
    self.owner = consume owner
    reactor.attach(to: multi)
    reactor.onAction = { [weak self] socket, select in self?.act(socket, select) }
  }

  // Here, while the reactor lives: closing the kept connections calls it.
  isolated deinit { owner = nil }

  func add(_ transfer: CurlTransfer, _ easy: UnsafeMutableRawPointer) throws(CurlFailure) {
    transfers[easy] = transfer
    guard ccurl_multi_add_handle(multi, easy) == CURLM_OK else {
      transfers[easy] = nil
      throw CurlFailure(code: CURLE_FAILED_INIT)
    }
  }

  /// - Precondition: this is not inside a call of libcurl.
  func remove(_ easy: UnsafeMutableRawPointer) {
    guard let transfer = transfers.removeValue(forKey: easy) else { return }
    ccurl_multi_remove_handle(multi, easy)
    // Until here libcurl had its address.
    withExtendedLifetime(transfer) {}
  }

  private func act(_ socket: curl_socket_t, _ select: CInt) {
    var running: CInt = 0
    let code = ccurl_multi_socket_action(multi, socket, select, &running)
    tellEnded()
    guard code != CURLM_OK else { return }
    for transfer in transfers.values { transfer.ended(CURLE_FAILED_INIT) }
  }

  private func tellEnded() {
    var ended: [(CurlTransfer, CURLcode)] = []
    var left: CInt = 0
    while let message = ccurl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
        let transfer = transfers[easy]
      else { continue }
      ended.append((transfer, message.pointee.data.result))
    }
    for (transfer, code) in ended { transfer.ended(code) }
  }
}

/// The one owner of one multi handle.
///
/// - Precondition of its end: no easy handle is in it.
private struct CurlMultiHandle: ~Copyable {
  let pointer: UnsafeMutableRawPointer

  init() throws(CurlFailure) {
    guard CurlLibrary.isReady, let pointer = ccurl_multi_init() else {
      throw CurlFailure(code: CURLE_FAILED_INIT)
    }
    self.pointer = pointer
    ccurl_multi_set_long(pointer, CURLMOPT_MAX_TOTAL_CONNECTIONS, CarrierLimits.connections)
    ccurl_multi_set_long(pointer, CURLMOPT_MAXCONNECTS, CarrierLimits.keptConnections)
  }

  deinit { ccurl_multi_cleanup(pointer) }
}
