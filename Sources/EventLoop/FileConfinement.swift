import CLinux
import Glibc

/// Which files this process may still open, by Landlock (landlock(7)): everything that was not
/// allowed is refused from then on, also to its children, and nothing takes that back. Files that
/// are open stay so. `stat` and connecting to Unix sockets are not Landlock's to refuse.
package struct FileConfinement: ~Copyable {
  package enum Access: Sendable {
    /// Files and directories are read.
    case read
    /// Files are read and run.
    case run
    /// Everything but to run files and to make devices.
    case change
    /// A device is read and written.
    case device
  }

  /// The version of the kernel's Landlock; 0 where there is none.
  package static var kernelVersion: Int { Int(max(0, clinux_landlock_abi())) }

  private let ruleset: OwnedDescriptor
  private let handled: UInt64

  /// - Throws: `ENOSYS` and `EOPNOTSUPP` on a kernel without Landlock.
  package init() throws(SystemError) {
    let version = Self.kernelVersion
    let rights = Rights.known(to: version)
    handled = rights
    ruleset = OwnedDescriptor(
      adopting: try systemCall("landlock_create_ruleset") { clinux_landlock_create(rights) })
  }

  /// Allows a file, or a directory with all below it.
  ///
  /// - Returns: false where there is no such path.
  @discardableResult package borrowing func allow(
    _ path: String, _ access: Access
  ) throws(SystemError) -> Bool {
    try Files.check(path, "open")
    let number = clinux_open_path(path)
    guard number >= 0 else { return false }
    let place = OwnedDescriptor(adopting: number)
    var rights = Rights.of(access) & handled
    // A rule for a file takes no right of directories.
    if try place.status().kind != .directory { rights &= Rights.files }
    _ = try ruleset.withNumber { (ruleset) throws(SystemError) in
      try systemCall("landlock_add_rule") { clinux_landlock_allow(ruleset, number, rights) }
    }
    return true
  }

  /// Puts it in force, for this thread and those that it starts.
  ///
  /// - Precondition: there is one thread.
  package consuming func enforce() throws(SystemError) {
    _ = try systemCall("prctl") { clinux_set_no_new_privileges() }
    _ = try ruleset.withNumber { (number) throws(SystemError) in
      try systemCall("landlock_restrict_self") { clinux_landlock_restrict(number) }
    }
  }
}

/// The rights of linux/landlock.h by the version that brought them.
private enum Rights {
  private static let execute: UInt64 = 1 << 0
  private static let writeFile: UInt64 = 1 << 1
  private static let readFile: UInt64 = 1 << 2
  private static let readDirectory: UInt64 = 1 << 3
  private static let removeDirectory: UInt64 = 1 << 4
  private static let removeFile: UInt64 = 1 << 5
  private static let makeDirectory: UInt64 = 1 << 7
  private static let makeFile: UInt64 = 1 << 8
  private static let makeSocket: UInt64 = 1 << 9
  /// To another directory (2).
  private static let refer: UInt64 = 1 << 13
  /// 3.
  private static let truncate: UInt64 = 1 << 14
  /// 5.
  private static let deviceControl: UInt64 = 1 << 15

  static func known(to version: Int) -> UInt64 {
    var rights: UInt64 = (1 << 13) - 1
    if version >= 2 { rights |= refer }
    if version >= 3 { rights |= truncate }
    if version >= 5 { rights |= deviceControl }
    return rights
  }

  static let files = execute | writeFile | readFile | truncate | deviceControl

  static func of(_ access: FileConfinement.Access) -> UInt64 {
    switch access {
    case .read: readFile | readDirectory
    case .run: readFile | readDirectory | execute
    case .change:
      readFile | readDirectory | writeFile | truncate | removeFile | removeDirectory | makeFile
        | makeDirectory | makeSocket | refer
    case .device: readFile | writeFile
    }
  }
}
