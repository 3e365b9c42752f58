import Glibc

/// Where the daemon's socket is.
package enum SocketLocation {
  /// `$XDG_RUNTIME_DIR/mero-consent/api.sock`; without an absolute `XDG_RUNTIME_DIR`, in
  /// `/run/user/<uid>`, as the daemon itself does it.
  package static func standard(
    runtimeDirectory: String? = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) },
    uid: UInt32 = geteuid()
  ) -> String {
    var parent = "/run/user/\(uid)"
    if let runtimeDirectory, runtimeDirectory.utf8.first == UInt8(ascii: "/") {
      parent = runtimeDirectory
      while parent.utf8.count > 1, parent.utf8.last == UInt8(ascii: "/") { parent.removeLast() }
    }
    return (parent == "/" ? "" : parent) + "/mero-consent/api.sock"
  }
}
