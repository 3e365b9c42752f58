/// The one thread that runs all networking and the broker.
///
/// What is isolated to it needs no locks, and calls between its members do not suspend.
@globalActor package actor LoopActor {
  package static let shared = LoopActor()
}
