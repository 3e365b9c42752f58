import EventLoop
import Glibc

/// A file of the daemon's configuration that this program writes:
/// `$XDG_CONFIG_HOME/mero-consent/mero-consentd.conf.d/NAME.conf`.
struct DropInFile: Sendable {
  /// More is not ours.
  private static let largest = 64 * 1024

  let path: String

  /// - Throws: `CONFIG_HOME` where neither that variable nor HOME names a place.
  init(name: String) throws(CommandFailure) {
    path = try Self.directory() + "/\(name).conf"
  }

  static func directory() throws(CommandFailure) -> String {
    for (variable, rest) in [("XDG_CONFIG_HOME", ""), ("HOME", "/.config")] {
      guard let value = getenv(variable).map({ String(cString: $0) }), value.hasPrefix("/") else {
        continue
      }
      return value + rest + "/mero-consent/mero-consentd.conf.d"
    }
    throw CommandFailure(
      .configuration, .fileUnusable, "neither XDG_CONFIG_HOME nor HOME names an absolute path")
  }

  /// Writes it whole or not at all, 0600.
  ///
  /// - Returns: false where it has this text already.
  /// - Throws: `FILE_UNUSABLE` where it has another: that may be somebody's decision.
  func write(_ text: String) throws(CommandFailure) -> Bool {
    let found: [UInt8]?
    do throws(SystemError) {
      found = try existing()
      if found == nil {
        try Files.makeDirectories(Files.directory(of: path), mode: 0o700)
        try Files.replace(path, with: Array(text.utf8), mode: 0o600)
        return true
      }
    } catch {
      throw CommandFailure(
        .notWritten, .fileUnusable, "\(path) cannot be written: \(error)", field: path)
    }
    guard found == Array(text.utf8) else {
      throw CommandFailure(
        .badData, .fileUnusable, "\(path) is there and says something else",
        hint: "Remove it first, or give this release another name with --name.", field: path)
    }
    return false
  }

  private func existing() throws(SystemError) -> [UInt8]? {
    do {
      return try Files.read(path, limit: Self.largest)
    } catch {
      guard error.code != ENOENT else { return nil }
      throw error
    }
  }
}
