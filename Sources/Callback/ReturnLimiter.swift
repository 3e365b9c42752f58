import EventLoop

/// Limits how often returns are looked at.
///
/// A page of somebody else's can make a browser knock at `/return` again and again, and each
/// knock may ask a node. Returns with a ticket are counted for each ticket and returns without
/// one together, so that knocking without a ticket never gets in the way of a return that has one.
struct ReturnLimiter {
  enum Limits {
    /// Returns of one ticket at once, and how long until one more: a person who reloads, goes
    /// back and retries stays far below.
    static let perTicket = 20
    static let ticketInterval: Duration = .seconds(1)
    /// Returns without a ticket at once, and how long until one more: several apps may share it.
    static let bare = 60
    static let bareInterval: Duration = .milliseconds(500)
    /// Tickets that are counted at a time. One whose count has run down is forgotten first.
    static let tickets = 1024
  }

  private var bare = TokenBucket(capacity: Limits.bare, interval: Limits.bareInterval)
  private var tickets: [String: TokenBucket] = [:]

  /// How many tickets are counted now.
  var countedTickets: Int { tickets.count }

  /// How long until a return would be looked at; `nil` when it is now.
  func wait(ticket: String?, at now: BootInstant) -> Duration? {
    guard let ticket else { return bare.wait(at: now) }
    return tickets[ticket]?.wait(at: now)
  }

  /// Counts a return. Only for tickets that exist, or anybody could fill the table.
  mutating func count(ticket: String?, at now: BootInstant) {
    guard let ticket else { return bare.take(at: now) }
    if tickets[ticket] == nil, tickets.count >= Limits.tickets { forget(at: now) }
    tickets[
      ticket, default: TokenBucket(capacity: Limits.perTicket, interval: Limits.ticketInterval)
    ].take(at: now)
  }

  private mutating func forget(at now: BootInstant) {
    tickets = tickets.filter { !$0.value.isFull(at: now) }
    if tickets.count >= Limits.tickets { tickets = [:] }
  }
}

/// A count that fills up again by one each `interval`.
struct TokenBucket {
  private let capacity: Int
  private let interval: Duration
  /// When it will be full again. Each token taken moves this on by `interval`.
  private var fullAt = BootInstant(nanoseconds: 0)

  init(capacity: Int, interval: Duration) {
    self.capacity = capacity
    self.interval = interval
  }

  func isFull(at now: BootInstant) -> Bool { fullAt <= now }

  /// How long until a token is there; `nil` when one is.
  func wait(at now: BootInstant) -> Duration? {
    let missing = max(.zero, fullAt - now)
    let room = interval * (capacity - 1)
    return missing > room ? missing - room : nil
  }

  mutating func take(at now: BootInstant) { fullAt = max(fullAt, now) + interval }
}
