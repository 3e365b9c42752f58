import EventLoop

/// One word to the person (org.freedesktop.Notifications). No secret ever goes into it.
package struct DesktopNotification: Sendable, Equatable {
  package var summary: String
  package var body: String

  package init(summary: String, body: String) {
    self.summary = summary
    self.body = body
  }

  /// How long a service has to take it.
  private static let limit = Duration.seconds(5)

  /// Shows it, where a service for that runs; a desktop without one is no error.
  ///
  /// - Returns: whether a service took it.
  @LoopActor package func show(on bus: SessionBus) async -> Bool {
    var method = BusMethod(
      "org.freedesktop.Notifications", "/org/freedesktop/Notifications",
      "org.freedesktop.Notifications", "Notify")
    // Where none runs, none is wanted, and one that cannot start would be waited for.
    method.startsService = false
    do throws(BusError) {
      _ = try await bus.call(method, until: .now + Self.limit) { (message) throws(BusError) in
        try message.append("mero-consent")
        try message.append(UInt32(0))  // replaces none
        try message.append("dialog-information")
        try message.append(summary)
        // Servers may read markup in a body, so what an app named is written as text.
        try message.append(Self.escapingMarkup(body))
        try message.append([])  // no buttons
        // No hint `desktop-entry`: with it GNOME takes the message away with our connection.
        try message.array(of: "{sv}") { () throws(BusError) in }
        try message.append(Int32(-1))  // the server's own time
      }
      return true
    } catch {
      return false
    }
  }

  static func escapingMarkup(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      default: result.append(character)
      }
    }
    return result
  }
}
