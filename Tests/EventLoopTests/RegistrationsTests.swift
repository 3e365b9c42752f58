import Glibc
import Testing

@testable import EventLoop

/// Counts what it is told.
@LoopActor private final class Counter: EventTarget {
  var count = 0
  let action: @LoopActor () -> Void
  init(_ action: @escaping @LoopActor () -> Void = {}) { self.action = action }
  func ready(_ readiness: Readiness) {
    count += 1
    action()
  }
}

private struct Pair {
  let near: CInt
  let far: CInt
  init() throws {
    var numbers: [CInt] = [0, 0]
    try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &numbers) == 0)
    (near, far) = (numbers[0], numbers[1])
  }
  func send() { _ = write(far, "x", 1) }
}

@Suite struct RegistrationsTests {
  @Test @LoopActor func aSlotThatIsUsedAgainIsAnotherRegistration() {
    var registrations = Registrations()
    let old = Counter()
    let first = registrations.add(old)
    registrations.remove(first)
    let new = Counter()
    let second = registrations.add(new)
    #expect(first.data != second.data)
    #expect(first.data & 0xffff_ffff == second.data & 0xffff_ffff)
    #expect(registrations.target(of: first.data) == nil)
    #expect(registrations.target(of: second.data) === new)
    // Removing twice does not free the successor's slot.
    registrations.remove(first)
    #expect(registrations.target(of: second.data) === new)
  }

  @Test @LoopActor func anEventOfNoRegistrationIsDropped() {
    #expect(Registrations().target(of: 17) == nil)
  }

  /// C-120: one batch holds an event for each of two sockets; whoever is told first closes the
  /// other, and a new socket takes over its number.
  @Test @LoopActor func aLateEventDoesNotReachTheSuccessorOfItsNumber() async throws {
    let core = LoopCore.shared
    let pairs = [try Pair(), try Pair()]
    let successor = try Pair()
    let late = Counter()
    var registrations: [Registration] = []
    var replaced = false
    let targets = (0..<2).map { index in
      Counter {
        guard !replaced else { return }
        replaced = true
        let other = 1 - index
        core.deregister(registrations[other], pairs[other].near)
        // dup2 closes the old one and gives its number to the new one.
        #expect(dup2(successor.near, pairs[other].near) == pairs[other].near)
        do {
          registrations.append(
            try core.register(pairs[other].near, for: .readable, target: late))
        } catch {
          Issue.record(error)
        }
      }
    }
    for index in 0..<2 {
      registrations.append(
        try core.register(pairs[index].near, for: [.readable, .onChange], target: targets[index]))
    }
    pairs[0].send()
    pairs[1].send()
    while !replaced { await Task.yield() }
    await turns()
    #expect(targets[0].count + targets[1].count == 1)
    #expect(late.count == 0)
    // It does hear of its own events.
    successor.send()
    while late.count == 0 { await Task.yield() }
    let kept = targets[0].count == 1 ? 0 : 1
    core.deregister(registrations[kept], pairs[kept].near)
    core.deregister(registrations[2], pairs[1 - kept].near)
    for pair in pairs + [successor] {
      close(pair.near)
      close(pair.far)
    }
  }

  /// C-120: a copy of the descriptor in a child keeps the kernel's watch alive.
  @Test @LoopActor func aCopyElsewhereTellsNothingAfterTheEnd() async throws {
    let pair = try Pair()
    let copy = dup(pair.near)
    let watched = Counter()
    let watch = try Watch(OwnedDescriptor(adopting: pair.near), for: .readable) { _ in
      watched.count += 1
    }
    watch.close()
    pair.send()
    await turns()
    #expect(watched.count == 0)
    close(copy)
    close(pair.far)
  }

  @Test @LoopActor func aReadinessSourceFollowsItsInterest() async throws {
    let pair = try Pair()
    var heard: [Readiness] = []
    let source = try ReadinessSource(watching: pair.near, for: .writable) { heard.append($0) }
    while heard.isEmpty { await Task.yield() }
    #expect(heard[0] == .writable)
    try source.change(to: .readable)
    heard = []
    pair.send()
    while heard.isEmpty { await Task.yield() }
    #expect(heard[0] == .readable)
    source.cancel()
    heard = []
    await turns()
    #expect(heard.isEmpty)
    // The descriptor is still its owner's.
    #expect(close(pair.near) == 0)
    close(pair.far)
  }
}
