import Callback
import EventLoop

/// Pages of returns that no request's own ticket can show. Each tells one verdict and nothing
/// else; the oldest are forgotten first.
@LoopActor final class ViewTickets {
  /// One return's page, and its verdict once that is found.
  @LoopActor final class View {
    let began = BootInstant.now
    private(set) var state: PageState?
    var pages: [Waiter] = []

    init() {}

    func show(_ state: PageState) {
      self.state = state
      for page in pages { page.signal() }
    }
  }

  private var views: [OpaqueID: View] = [:]
  private var order: [OpaqueID] = []

  init() {}

  /// - Returns: a new ticket, and its page.
  func make() -> (ticket: String, view: View) {
    let ticket = RandomName.ticket()
    let view = View()
    if order.count == BrokerLimits.viewTickets { views[order.removeFirst()] = nil }
    order.append(OpaqueID(ticket))
    views[OpaqueID(ticket)] = view
    return (ticket, view)
  }

  func make(showing state: PageState) -> String {
    let (ticket, view) = make()
    view.show(state)
    return ticket
  }

  subscript(ticket: String) -> View? { views[OpaqueID(ticket)] }
}
