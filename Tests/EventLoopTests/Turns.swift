import EventLoop

/// For what must not happen: returns after twenty turns of the loop, each of which has asked the
/// kernel for events and told whoever waits for them.
///
/// A yield leaves the loop and comes back in a later turn, behind all that was ready by then.
@LoopActor func turns() async { for _ in 1...20 { await Task.yield() } }
