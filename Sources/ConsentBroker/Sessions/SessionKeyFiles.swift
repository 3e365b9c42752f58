import Crypto
import EventLoop
import Glibc

/// The keys of configured sessions, for local apps: `$XDG_RUNTIME_DIR/mero-consent/sessions/NAME`,
/// 0600, a line each.
///
/// In the runtime directory, which is memory: a key outlives the daemon's sleep, so that an app
/// keeps its capability, and ends with the person's login. It opens no more than the socket
/// beside it does: both are for every process of the person.
struct SessionKeyFiles: Sendable {
  let directory: String
  private let uid: UInt32

  /// - Parameter runtime: the daemon's runtime directory, which is there.
  init(in runtime: String, uid: UInt32) {
    directory = runtime + "/sessions"
    self.uid = uid
  }

  /// The key that was published before; `nil` where there is none that can be used.
  func key(of name: String) -> String? {
    let path = path(of: name)
    guard let status = try? Files.status(of: path, followsLink: false),
      status.kind == .regular, status.owner == uid, status.mode & 0o077 == 0,
      let bytes = try? Files.read(path, limit: 128), bytes.last == UInt8(ascii: "\n"),
      let key = String(validating: bytes.dropLast(), as: UTF8.self), SessionKey.isOne(key)
    else { return nil }
    return key
  }

  func publish(_ key: String, of name: String) throws(SystemError) {
    do {
      try Files.makeDirectory(directory, mode: 0o700)
    } catch {
      guard error.code == EEXIST else { throw error }
    }
    try Files.replace(path(of: name), with: Array((key + "\n").utf8), mode: 0o600)
  }

  /// Removes every key but those of the sessions named, as far as that goes.
  func removeAll(but names: Set<String>) {
    for name in (try? Files.names(in: directory)) ?? [] where !names.contains(name) {
      try? Files.unlink(path(of: name))
    }
  }

  private func path(of name: String) -> String { "\(directory)/\(name)" }
}

extension SessionKey {
  /// Whether `text` can be a key that `make()` made.
  static func isOne(_ text: String) -> Bool { Base64URL.decode(text)?.count == bits / 8 }
}
