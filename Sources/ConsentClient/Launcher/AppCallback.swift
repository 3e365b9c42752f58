import Callback
import EventLoop
import HTTP
import MeroConsent

/// The callback inside an app, for when there is no daemon: the same site and the same rules, for
/// the requests of this process.
@LoopActor final class AppCallback: ReturnJudge {
  enum Limits {
    /// How long the callback stays after the decision: a person's way back takes a moment.
    static let linger: Duration = .seconds(10)
    /// How long a page that is being sent may take when the callback ends.
    static let stop: Duration = .seconds(2)
    /// Returns whose verdict is being found at once.
    static let returnsInFlight = 64
  }

  /// By port as it was asked for: requests at the same time share one.
  private static var sites: [UInt16: AppCallback] = [:]

  private let asked: UInt16
  private let listeners: LoopbackListeners
  private var server: HTTPServer?
  private let views = ViewTickets()
  private var runs: [(ticket: String, run: DirectRun)] = []
  private var timers: [String: LoopTimer] = [:]
  private var returnsInFlight = 0
  /// Requests that count on this callback, those included that the node is being asked for.
  private var users = 0

  /// Whoever gets one gives it back: `release()`, or `remove(ticket:after:)` after `add`.
  ///
  /// - Returns: `nil` where the return comes in another way.
  /// - Throws: `CONFIGURATION_INVALID`.
  static func site(for callback: CloudCallback) throws(BrokerError) -> AppCallback? {
    guard case .loopback(let port, let path) = callback else { return nil }
    guard path == "return" || path == "/return" else {
      throw .callback("A loopback callback's path is `return`. Change the callback.")
    }
    let site = if let known = sites[port] { known } else { try AppCallback(port: port) }
    sites[port] = site
    site.users += 1
    return site
  }

  private init(port: UInt16) throws(BrokerError) {
    asked = port
    do throws(LoopbackListeners.Failure) {
      listeners = try LoopbackListeners(port: port)
    } catch {
      throw .callback(Self.advice(on: error))
    }
    let server = HTTPServer(
      handler: CallbackSite(judge: self), limits: .callback, persistence: .closesAfterEachAnswer)
    for listener in listeners.all { server.listen(on: listener) }
    self.server = server
  }

  private static func advice(on failure: LoopbackListeners.Failure) -> String {
    switch failure {
    case .portInUse(let port, let family):
      "Another program uses port \(port) on \(family.address). Stop it, or choose another port."
    case .system(let port, let family, let error):
      "Cannot listen on \(family.address) port \(port): \(error)."
    case .noLoopback: "This machine has neither 127.0.0.1 nor ::1."
    }
  }

  /// The address of one request's return.
  func address(of ticket: String) -> String {
    let host = listeners.ipv4 == nil ? "[::1]" : "127.0.0.1"
    return "http://\(host):\(listeners.port)/return/\(ticket)"
  }

  // MARK: Requests

  func add(_ run: DirectRun, ticket: String) { runs.append((ticket, run)) }

  func remove(ticket: String, after time: Duration) {
    let timer = LoopTimer()
    timers[ticket] = timer
    timer.arm(after: time) { [weak self] in self?.remove(ticket: ticket) }
  }

  private func remove(ticket: String) {
    timers[ticket] = nil
    runs.removeAll { sameBytes($0.ticket, ticket) }
    release()
  }

  func release() {
    users -= 1
    guard users == 0, let server else { return }
    self.server = nil
    Self.sites[asked] = nil
    // At once: the next request may want the same port.
    for listener in listeners.all { listener.close() }
    Task { await server.stop(within: Limits.stop) }
  }

  // MARK: Returns

  func callback(ticket: String?, rawQuery: String?) async -> CallbackAnswer {
    guard returnsInFlight < Limits.returnsInFlight else { return .tooMany(retryAfter: 1) }
    guard let returned = try? ReturnURL(path: "/return", query: rawQuery) else {
      return .malformed
    }
    let meant: [DirectRun]
    if let ticket {
      meant = runs.filter { sameBytes($0.ticket, ticket) }.map(\.run)
      guard !meant.isEmpty else { return .unknownTicket }
    } else {
      // With an id: the request that it names. Without one: all that are not decided.
      meant = runs.map(\.run).filter { !returned.namesAnother(than: $0.started.requestId) }
    }
    let (page, view) = views.make()
    returnsInFlight += 1
    Task {
      view.show(await state(of: meant, after: returned))
      returnsInFlight -= 1
    }
    return .done(ticket: page)
  }

  private func state(of runs: [DirectRun], after returned: ReturnURL) async -> PageState {
    var states: Set<PageState> = []
    for run in runs { states.insert(PageState(await run.judge(returned))) }
    return PageState.tellingOrder.first(where: states.contains) ?? .mismatch
  }

  func page(ticket: String, until deadline: BootInstant) async -> PageState {
    if let view = views[ticket] { return await view.state(until: deadline) }
    return .unknown
  }

  func note(_ answered: @autoclosure () -> String) {}
}

extension PageState {
  fileprivate init(_ verdict: Result<ConsentResult, BrokerError>) {
    switch verdict {
    case .success(let result):
      switch result.status {
      case .approved: self = .approved
      case .declined: self = .declined
      case .pending: self = .notDecided
      }
    case .failure(let error):
      switch error.consentCode {
      case .requestMismatch: self = .mismatch
      case .notDecided: self = .notDecided
      case .replaced: self = .replaced
      case .expired: self = .expired
      case .cancelled: self = .cancelled
      default: self = .notConfirmed
      }
    }
  }
}

extension BrokerError {
  fileprivate static func callback(_ advice: String) -> BrokerError {
    BrokerError(BrokerError.Code(ConsentError.Code.configurationInvalid), advice)
  }
}
