import EventLoop

/// What keeps a connection its place, and how it gives it up.
extension HTTPServerConnection {
  /// The next thing has to come from the client.
  func waits(_ activity: Activity) {
    self.activity = activity
    since = .now
  }

  /// Since when it has waited for its client: for a request, the rest of one, or its end. `nil`
  /// while it waits for something else.
  var waitingSince: BootInstant? {
    switch activity {
    case .idle, .receiving, .closing: since
    case .answering, .parked, .streaming, .over: nil
    }
  }

  /// Ends without a word, since another connection has its place.
  func giveWay() {
    // A task that reads finds its stream closed.
    if case .idle = activity { close() } else { stream.close() }
  }
}
