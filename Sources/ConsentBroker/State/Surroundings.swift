import Glibc

/// What the process was started with, as far as paths depend on it.
package struct Surroundings: Sendable {
  package var environment: [String: String]
  package var uid: UInt32
  /// Where the per-user runtime directories are; another one in tests.
  package var runtimeRoot = "/run/user"

  package init(environment: [String: String], uid: UInt32) {
    self.environment = environment
    self.uid = uid
  }

  /// This process's own.
  package static func current() -> Surroundings {
    var found: [String: String] = [:]
    for name in [
      "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
      "CREDENTIALS_DIRECTORY",
    ] {
      if let value = getenv(name) { found[name] = String(cString: value) }
    }
    return Surroundings(environment: found, uid: geteuid())
  }

  /// `$XDG_STATE_HOME/mero-consent`.
  func stateDirectory() throws(StartFailure) -> String {
    try base("XDG_STATE_HOME", orHome: ".local/state") + "/mero-consent"
  }

  /// `$XDG_CONFIG_HOME/mero-consent/mero-consentd.conf`, whether it exists or not.
  func configurationFile() throws(StartFailure) -> String {
    try base("XDG_CONFIG_HOME", orHome: ".config") + "/mero-consent/mero-consentd.conf"
  }

  /// A directory of the XDG base directory specification: "All paths set in these environment
  /// variables must be absolute. If an implementation encounters a relative path … it should
  /// consider the path invalid and ignore it."
  private func base(_ variable: String, orHome rest: String) throws(StartFailure) -> String {
    if let path = absolute(variable) { return path }
    guard let home = absolute("HOME") else {
      throw StartFailure(
        .configurationInvalid, "neither \(variable) nor HOME names an absolute path")
    }
    return home == "/" ? "/" + rest : home + "/" + rest
  }

  /// The value of a variable that names an absolute path, without slashes at its end.
  func absolute(_ variable: String) -> String? {
    guard var path = environment[variable], path.utf8.first == UInt8(ascii: "/") else { return nil }
    while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
    return path
  }
}
