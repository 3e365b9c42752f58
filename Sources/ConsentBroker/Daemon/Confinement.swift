import EventLoop
import Glibc
import MeroConsent

/// The files that the daemon needs, and no others: a fault in it cannot read the person's mail or
/// keys, nor write into what a shell runs at the next login.
///
/// Only as a unit's main process: there pages are opened by the service manager. Started by hand,
/// the browser is our child, and would be confined with us.
struct Confinement: Sendable {
  /// Directories that were there when it was put in force. A rule is for a directory, not for
  /// its path: one that is made anew is another one.
  private let places: [String: UInt64]

  static var isWanted: Bool {
    guard let text = getenv("SYSTEMD_EXEC_PID"), let pid = Int32(String(cString: text)) else {
      return false
    }
    return pid == getpid()
  }

  /// Programs and libraries, and what they are configured with. `/etc` as a whole, since its files
  /// are replaced by new ones when the network changes; what is secret there is root's.
  private static let readable = [
    "/etc", "/usr", "/lib", "/lib64", "/opt/swift", "/var/lib/ca-certificates",
    "/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager", "/run/connman",
    "/sys/devices/system/cpu", "/dev/urandom", "/dev/random", "/proc/self",
  ]

  /// Makes the directories that are missing, and confines the process to them.
  ///
  /// - Precondition: there is one thread.
  /// - Parameters:
  ///   - configurationFile: its directory is made too, so that a file can come into it.
  ///   - tokenFiles: read from anywhere; each with its directory, since a file is replaced by
  ///     another when it is written.
  /// - Throws: where the kernel has no Landlock, or a directory cannot be made.
  init(
    _ paths: DaemonPaths, configurationFile: String, tokenFiles: [String],
    environment: (String) -> String?
  ) throws(SystemError) {
    let files = try FileConfinement()
    let ours = [
      paths.state, Files.directory(of: paths.socket.path), paths.runtime?.path,
      paths.runtime?.own.path,
    ].compactMap(\.self)
    let configuration = Files.directory(of: configurationFile)
    for path in ours + [configuration] { try Files.makeDirectories(path, mode: 0o700) }
    for path in ours { try files.allow(path, .change) }
    try files.allow(configuration, .read)
    for path in tokenFiles { try files.allow(Files.directory(of: path), .read) }
    try files.allow("/dev/null", .device)
    for path in Self.readable { try files.allow(path, .read) }
    for path in Self.desktopLists(environment) { try files.allow(path, .read) }
    for name in ["SSL_CERT_FILE", "SSL_CERT_DIR", "CREDENTIALS_DIRECTORY"] {
      if let path = environment(name), path.hasPrefix("/") { try files.allow(path, .read) }
    }
    try files.enforce()
    places = Dictionary(
      (ours + [configuration]).map { ($0, Self.inode($0)) }, uniquingKeysWith: { $1 })
  }

  /// Which program opens web pages: looked at before a page is opened.
  private static func desktopLists(_ environment: (String) -> String?) -> [String] {
    let home = environment("HOME") ?? ""
    let configuration = environment("XDG_CONFIG_HOME") ?? home + "/.config"
    let data = environment("XDG_DATA_HOME") ?? home + "/.local/share"
    return [
      configuration + "/mimeapps.list", data + "/applications", data + "/flatpak/exports/share",
      "/var/lib/flatpak", "/var/lib/snapd/desktop",
    ]
  }

  /// Whether a directory of ours was made anew since: only a new process can use it.
  var isOutdated: Bool { places.contains { Self.inode($0.key) != $0.value } }

  private static func inode(_ path: String) -> UInt64 {
    (try? Files.status(of: path))?.inode ?? 0
  }
}
