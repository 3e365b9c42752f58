import CLinux
import EventLoop
import Glibc

/// A load on one thread, straight on epoll: nothing in it may be slower than a server.
struct Load: ~Copyable {
  private let options: LoadOptions
  private let epoll: OwnedDescriptor
  private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: Self.eventsPerTurn)
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 64)
  private var clients: [Client] = []
  private var sent = 0
  private var tally = Tally()

  private static let eventsPerTurn = 512
  /// A server that refuses this many times in a row is not measured.
  private static let mostFaults = 1000

  init(_ options: LoadOptions) throws(SystemError) {
    self.options = options
    epoll = OwnedDescriptor(adopting: try systemCall("epoll_create1") { epoll_create1(0) })
    let number = epoll.withNumber { $0 }
    clients = (0..<options.connections).map { index in
      Client(
        options.requests[index % options.requests.count], to: options.address, epoll: number,
        mark: index)
    }
  }

  deinit {
    events.deallocate()
    buffer.deallocate()
  }

  // MARK: A steady load

  /// Keeps all connections busy for the time that was asked for.
  mutating func run() throws(SystemError) -> Tally {
    for client in clients { try send(client) }
    try turn(until: Clock.after(options.warmUp)) { $0.sent >= $0.options.most }
    tally = Tally(capacity: 1_000_000)
    let start = Clock.now()
    try turn(until: Clock.after(options.time)) { $0.sent >= $0.options.most }
    tally.nanoseconds = Clock.now() - start
    return tally
  }

  private mutating func send(_ client: Client) throws(SystemError) {
    sent += 1
    try client.send(sent)
  }

  /// Takes answers until `deadline` or until `isOver`, which is asked after each look.
  private mutating func turn(
    until deadline: Int64, sendsMore: Bool = true, _ isOver: (borrowing Load) -> Bool
  ) throws(SystemError) {
    while !isOver(self) {
      let left = deadline - Clock.now()
      guard left > 0 else { return }
      let limit = CInt(Self.eventsPerTurn)
      let count = epoll.withNumber { epoll_wait($0, events, limit, CInt(left / 1_000_000 + 1)) }
      for index in 0..<Int(max(count, 0)) {
        try answer(clients[Int(events[index].data.u64)], sendsMore: sendsMore)
      }
    }
  }

  private mutating func answer(_ client: Client, sendsMore: Bool) throws(SystemError) {
    do {
      guard let status = try client.receive(into: buffer) else { return }
      tally.count(status == options.status, after: Clock.now() - client.sentAt)
    } catch {
      client.close()
      tally.countBroken()
      guard tally.faults < Self.mostFaults else { throw error }
    }
    if sendsMore { try send(client) }
  }

  // MARK: A crowd

  /// Sends every request once and has them wait. At a line of standard input it sends those that
  /// end the waits, and measures from there until everybody is answered.
  mutating func runCrowd(_ triggers: [[UInt8]]) throws(SystemError) -> Tally {
    for client in clients { try send(client) }
    print("waiting")
    fflush(nil)
    guard getchar() != EOF else { return tally }
    let crowd = clients.count
    let number = epoll.withNumber { $0 }
    for trigger in triggers {
      clients.append(Client(trigger, to: options.address, epoll: number, mark: clients.count))
    }
    let start = Clock.now()
    for index in crowd..<clients.count { try send(clients[index]) }
    try turn(until: Clock.after(options.time), sendsMore: false) {
      $0.tally.answers + $0.tally.faults == $0.clients.count
    }
    tally.nanoseconds = Clock.now() - start
    return tally
  }
}
