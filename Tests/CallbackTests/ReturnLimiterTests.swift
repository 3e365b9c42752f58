import EventLoop
import Testing

@testable import Callback

@Suite struct ReturnLimiterTests {
  let start = BootInstant(nanoseconds: 1_000_000_000_000)

  @Test func looksAtSoManyReturnsOfATicketAtOnce() {
    var limiter = ReturnLimiter()
    for _ in 1...ReturnLimiter.Limits.perTicket {
      #expect(limiter.wait(ticket: "a", at: start) == nil)
      limiter.count(ticket: "a", at: start)
    }
    #expect(limiter.wait(ticket: "a", at: start) == ReturnLimiter.Limits.ticketInterval)
    #expect(limiter.wait(ticket: "b", at: start) == nil)
    #expect(limiter.wait(ticket: nil, at: start) == nil)
  }

  @Test func knockingWithoutATicketIsNoTroubleForOneThatHasIt() {
    var limiter = ReturnLimiter()
    for _ in 1...ReturnLimiter.Limits.bare { limiter.count(ticket: nil, at: start) }
    #expect(limiter.wait(ticket: nil, at: start) != nil)
    #expect(limiter.wait(ticket: "a", at: start) == nil)
  }

  @Test func looksAgainAfterAWhile() {
    var limiter = ReturnLimiter()
    for _ in 1...ReturnLimiter.Limits.perTicket { limiter.count(ticket: "a", at: start) }
    let later = start + ReturnLimiter.Limits.ticketInterval
    #expect(limiter.wait(ticket: "a", at: later) == nil)
    limiter.count(ticket: "a", at: later)
    #expect(limiter.wait(ticket: "a", at: later) != nil)
  }

  @Test func saysHowLongToWait() {
    var limiter = ReturnLimiter()
    for _ in 1...ReturnLimiter.Limits.perTicket { limiter.count(ticket: "a", at: start) }
    #expect(
      limiter.wait(ticket: "a", at: start + .milliseconds(400)) == .milliseconds(600))
  }

  @Test func staysSmallWhateverComes() {
    var limiter = ReturnLimiter()
    for number in 0..<(3 * ReturnLimiter.Limits.tickets) {
      limiter.count(ticket: "\(number)", at: start)
    }
    #expect(limiter.countedTickets <= ReturnLimiter.Limits.tickets)
  }

  @Test func aBucketIsFullAgainInTheEnd() {
    var bucket = TokenBucket(capacity: 2, interval: .seconds(10))
    #expect(bucket.isFull(at: start))
    bucket.take(at: start)
    bucket.take(at: start)
    #expect(!bucket.isFull(at: start + .seconds(19)))
    #expect(bucket.isFull(at: start + .seconds(20)))
  }
}
