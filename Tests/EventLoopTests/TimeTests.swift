import EventLoop
import Testing

@Suite struct TimeTests {
  @Test func instantsSaturate() {
    #expect(BootInstant(nanoseconds: 5) + .seconds(Int64.max) == BootInstant(nanoseconds: .max))
    #expect(WallInstant(nanoseconds: 5) + .nanoseconds(Int64.max) == WallInstant(nanoseconds: .max))
    #expect(BootInstant(nanoseconds: 5) + .nanoseconds(-3) == BootInstant(nanoseconds: 2))
    let most = Duration.nanoseconds(Int64.max) + .nanoseconds(1)
    #expect(BootInstant(nanoseconds: -7) + most == BootInstant(nanoseconds: .max))
    let least = Duration.nanoseconds(Int64.min)
    #expect(BootInstant(nanoseconds: -5) + least == BootInstant(nanoseconds: .min))
  }

  @Test func differencesAreDurations() {
    #expect(BootInstant(nanoseconds: 7) - BootInstant(nanoseconds: 2) == .nanoseconds(5))
    #expect(BootInstant(nanoseconds: .max) - BootInstant(nanoseconds: -1) > .seconds(1 << 33))
    let early = WallInstant(nanoseconds: .min)
    #expect(early - WallInstant(nanoseconds: 1) < .zero)
  }

  @Test func suspendedTimeIsNotNegative() {
    #expect(BootInstant.timeSuspended > .milliseconds(-1))
  }
}
