import CCurl
package import EventLoop
package import Sealed

/// Carries requests to one node through libcurl, driven by the event loop.
///
/// Certificates are always verified; there is no switch. Plain http is for a node on this
/// machine alone. A proxy that the environment names is used, except for such a node.
@LoopActor package final class CurlCarrier: Carrier {
  private let base: String
  private let isLoopback: Bool
  private let hasName: Bool
  private let limits: CarrierLimits
  private let store: CAStore?
  private let memory: ReplyMemory

  /// Made at the first request; made anew when the connections that it keeps have become doubtful.
  /// Transfers that still run on the old one keep that.
  private var multi: CurlMulti?
  private var running: [ObjectIdentifier: CurlTransfer] = [:]
  private var isClosed = false
  private var suspendedBefore: Duration?
  /// How long this machine has slept so far; tests put a clock of their own here.
  package var timeSuspended: @LoopActor () -> Duration = { BootInstant.timeSuspended }

  /// - Parameters:
  ///   - store: `nil` when this machine has none: then every https transfer fails.
  ///   - memory: what all answers may take together.
  nonisolated package init(
    node: NodeAddress, limits: CarrierLimits = CarrierLimits(), store: CAStore? = .ofThisMachine,
    memory: ReplyMemory = .ofThisProcess
  ) {
    base = node.url
    isLoopback = node.isLoopback
    hasName = !node.hostIsLiteral
    self.limits = limits
    self.store = store
    self.memory = memory
  }

  private var usesTLS: Bool { base.hasPrefix("https:") }

  /// How many transfers run; for tests.
  package var transferCount: Int { running.count }

  @LoopActor package func post(_ request: CarrierRequest) async throws(CarrierError)
    -> any CarrierReply
  {
    let transfer = try begin(request)
    return CurlReply(try await transfer.waitForHead(), transfer)
  }

  @LoopActor package func close() async {
    isClosed = true
    for transfer in running.values { transfer.stop(.closed, "the carrier was closed") }
    multi = nil
  }

  private func begin(_ request: CarrierRequest) throws(CarrierError) -> CurlTransfer {
    guard !isClosed else { throw CarrierError(.closed, requestMayHaveLeft: false) }
    if store == nil && usesTLS {
      throw CarrierError(
        .tls, requestMayHaveLeft: false,
        detail: CurlEasy.noCAStore + ": this machine has no readable file of certificates")
    }
    dropConnectionsFromBeforeSleep()
    do throws(CurlFailure) {
      let multi = try sharedMulti()
      let easy = try configured(for: request)
      let transfer = CurlTransfer(
        multi, easy, replyLimit: request.replyLimit, usesTLS: usesTLS, room: ReplyRoom(in: memory))
      try transfer.start(callLimit: limits.call, looksUpName: hasName && !isLoopback)
      let id = ObjectIdentifier(transfer)
      running[id] = transfer
      transfer.onEnd = { [weak self, weak multi] doubtful in
        self?.running[id] = nil
        if doubtful, let self, self.multi === multi { self.multi = nil }
      }
      return transfer
    } catch {
      throw CarrierError(
        OpenFilesLimit.isExhausted ? .exhausted : .notConnected, requestMayHaveLeft: false,
        detail: String(cString: ccurl_easy_strerror(error.code)))
    }
  }

  private func sharedMulti() throws(CurlFailure) -> CurlMulti {
    if let multi { return multi }
    let new = try CurlMulti()
    multi = new
    return new
  }

  /// A connection that was open when the machine went to sleep is dead, or worse: it swallows
  /// what is sent (C-152).
  private func dropConnectionsFromBeforeSleep() {
    let now = timeSuspended()
    if let suspendedBefore, now - suspendedBefore > .seconds(1) { multi = nil }
    suspendedBefore = now
  }

  private func configured(for request: CarrierRequest) throws(CurlFailure) -> CurlEasy {
    var easy = try CurlEasy()
    try easy.set(CURLOPT_URL, base + request.path)
    try easy.setBody(request.body)
    // libcurl would wait for a "100 Continue" before a long body.
    try easy.setHeaders(["Content-Type: " + request.contentType, "Expect:"])
    // One request at a time on a connection: what may have left is then known for sure.
    try easy.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    // libcurl's least; its default is four times as much for each transfer, and a request is short.
    try easy.set(CURLOPT_UPLOAD_BUFFERSIZE, 16_384)
    try easy.set(CURLOPT_PATH_AS_IS, 1)
    try easy.set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    try easy.set(CURLOPT_PROTOCOLS_STR, isLoopback ? "http,https" : "https")
    try easy.set(CURLOPT_FOLLOWLOCATION, 0)
    // No signals; and no waiting for a resolver that hangs, which would stop the whole loop.
    try easy.set(CURLOPT_NOSIGNAL, 1)
    try easy.set(CURLOPT_QUICK_EXIT, 1)
    try setTrust(of: easy)
    try setNetwork(of: easy)
    return easy
  }

  private func setTrust(of easy: borrowing CurlEasy) throws(CurlFailure) {
    try easy.set(CURLOPT_SSL_VERIFYPEER, 1)
    try easy.set(CURLOPT_SSL_VERIFYHOST, 2)
    try easy.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
    try easy.set(CURLOPT_PROXY_SSL_VERIFYPEER, 1)
    try easy.set(CURLOPT_PROXY_SSL_VERIFYHOST, 2)
    // A missing directory is set too: else libcurl adds the one of the machine that built it.
    try easy.set(CURLOPT_CAINFO, store?.file)
    try easy.set(CURLOPT_CAPATH, store?.directory)
    try easy.set(CURLOPT_PROXY_CAINFO, store?.file)
    try easy.set(CURLOPT_PROXY_CAPATH, store?.directory)
  }

  private func setNetwork(of easy: borrowing CurlEasy) throws(CurlFailure) {
    try easy.set(CURLOPT_CONNECTTIMEOUT_MS, limits.connect.wholeMilliseconds)
    try easy.set(CURLOPT_LOW_SPEED_LIMIT, 1)
    try easy.set(CURLOPT_LOW_SPEED_TIME, max(1, limits.silence.wholeMilliseconds / 1000))
    try easy.set(CURLOPT_TCP_KEEPALIVE, 1)
    // The answer of a proxy to CONNECT is not the node's.
    try easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // Empty means none, whatever the environment says.
    if isLoopback { try easy.set(CURLOPT_PROXY, "") }
    try CurlEasy.check(ccurl_set_open_socket(easy.handle, openSocket))
  }
}

private func openSocket(
  _ unused: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
  _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let address = address?.pointee else { return CURL_SOCKET_BAD }
  return ForeignSocket.open(
    family: address.family, type: address.socktype, protocol: address.protocol,
    unacknowledged: CarrierLimits.unacknowledged)
}
