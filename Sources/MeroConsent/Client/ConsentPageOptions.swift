/// How a consent page is opened.
public struct ConsentPageOptions: Sendable {
  /// For a request that names none; else the client's own.
  public var returnTo: String?

  /// Called with the request before its page opens: show its code. `false` leaves the page closed.
  public var confirm: (@Sendable (ConsentStarted) async -> Bool)?

  public init(
    returnTo: String? = nil, confirm: (@Sendable (ConsentStarted) async -> Bool)? = nil
  ) {
    self.returnTo = returnTo
    self.confirm = confirm
  }
}
