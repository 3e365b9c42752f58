import EventLoop

/// The file `callback` in the runtime directory: where the callback listens, a line a family, for
/// programs that cannot ask `/v1/status`. Of several daemons in one runtime directory it is that of
/// the first, for as long as that runs.
final class CallbackNote: Sendable {
  private static let name = "callback"

  /// Locked for the life of this value.
  private let directory: OpenDirectory

  /// Writes it.
  ///
  /// - Returns: `nil` where another daemon has.
  init?(in path: String, owner: UInt32, _ address: CallbackAddress) throws(SystemError) {
    directory = try OpenDirectory(path, owner: owner)
    guard try directory.lock() else { return nil }
    let lines = [address.ipv4, address.ipv6].compactMap(\.self)
    try directory.replace(
      Self.name, with: Array(lines.map { $0 + "\n" }.joined().utf8), mode: 0o600)
  }

  func remove() { try? directory.unlink(Self.name) }
}
