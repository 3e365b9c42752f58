import Crypto
package import EventLoop

/// Pages of returns that no request's own ticket can show. Each tells one verdict and nothing
/// else; the oldest are forgotten first.
@LoopActor package final class ViewTickets {
  package enum Limits {
    /// Pages kept for returns that have no ticket of their own, the oldest forgotten first.
    package static let views = 256
    /// How long a person is shown that the node is being asked, before they are told that it
    /// could not be confirmed now. A client's page time-out is usually 10 s.
    package static let checking: Duration = .seconds(8)
  }

  /// One return's page, and its verdict once that is found.
  @LoopActor package final class View {
    private let began = BootInstant.now
    package private(set) var state: PageState?
    private var pages: [Waiter] = []
    private var finding: Task<Void, Never>?

    package init() {}

    deinit { finding?.cancel() }

    /// Shows what `work` comes to, which is cancelled where this page is forgotten before.
    package func find(_ work: @escaping @LoopActor () async -> PageState) {
      finding = Task { [weak self] in
        let state = await work()
        self?.show(state)
      }
    }

    package func show(_ state: PageState) {
      self.state = state
      for page in pages { page.signal() }
    }

    /// Waits a moment for a verdict that is being found, so that most people see no interim page.
    ///
    /// - Parameter deadline: the latest moment to answer.
    /// - Returns: `checking` where it takes longer, `not-confirmed` where it takes very long.
    package func state(
      until deadline: BootInstant, or isEnding: @LoopActor () -> Bool = { false }
    ) async -> PageState {
      let waiter = Waiter()
      pages.append(waiter)
      defer { pages.removeAll { $0 === waiter } }
      let slow = began + Limits.checking
      while state == nil, !isEnding() {
        if slow <= .now { return .notConfirmed }
        if await !waiter.wait(until: min(deadline, slow)), deadline <= .now { break }
        if Task.isCancelled { break }
      }
      return state ?? .checking
    }
  }

  /// By the bytes of their tickets: `String` would take two spellings of one character for equal.
  private var views: [[UInt8]: View] = [:]
  private var order: [[UInt8]] = []

  package init() {}

  /// - Returns: a new ticket of 128 random bits, and its page.
  package func make() -> (ticket: String, view: View) {
    let ticket = Self.randomTicket()
    let view = View()
    if order.count == Limits.views { views[order.removeFirst()] = nil }
    order.append(Array(ticket.utf8))
    views[Array(ticket.utf8)] = view
    return (ticket, view)
  }

  package func make(showing state: PageState) -> String {
    let (ticket, view) = make()
    view.show(state)
    return ticket
  }

  package subscript(ticket: String) -> View? { views[Array(ticket.utf8)] }

  /// 128 bits: the address of one request's return, or of one page.
  package nonisolated static func randomTicket() -> String {
    Hex.encode(SecureRandom.bytes(count: 16))
  }
}
