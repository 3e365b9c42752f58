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
  private let folder: OwnFolder

  var directory: String { folder.path }

  /// - Parameter runtime: the daemon's runtime directory.
  init(in runtime: String, uid: UInt32) {
    folder = OwnFolder(runtime, owner: uid).folder("sessions")
  }

  /// The key that was published before; `nil` where there is none that can be used.
  func key(of name: String) -> String? {
    guard let bytes = try? read(name), bytes.last == UInt8(ascii: "\n"),
      let key = String(validating: bytes.dropLast(), as: UTF8.self), SessionKey.isOne(key)
    else { return nil }
    return key
  }

  private func read(_ name: String) throws(SystemError) -> [UInt8] {
    let file = try folder.open().open(name, .read)
    let status = try file.status()
    guard status.kind == .regular, status.owner == folder.owner, status.mode & 0o077 == 0 else {
      throw SystemError(call: "open", code: EPERM)
    }
    return try file.readToEnd(limit: 128)
  }

  func publish(_ key: String, of name: String) throws(SystemError) {
    try folder.make().replace(name, with: Array((key + "\n").utf8), mode: 0o600)
  }

  /// Removes every key but those of the sessions named, as far as that goes. What has no session's
  /// name is none of ours.
  func removeAll(but names: Set<String>) {
    guard let directory = try? folder.open(), let found = try? directory.names() else { return }
    for name in found where !names.contains(name) && SectionText.isName(name) {
      try? directory.unlink(name)
    }
  }
}

extension SessionKey {
  /// Whether `text` can be a key that `make()` made.
  static func isOne(_ text: String) -> Bool { Base64URL.decode(text)?.count == bits / 8 }
}
