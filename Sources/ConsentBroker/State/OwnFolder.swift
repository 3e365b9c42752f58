import EventLoop
import Glibc

/// A folder of the daemon's own below the person's runtime directory. It is found anew for each use,
/// since a logout may remove it; and neither it nor a folder on the way from `base` is a link, so that
/// nothing is written or removed elsewhere.
struct OwnFolder: Sendable, Equatable {
  /// Absolute.
  let base: String
  /// The folders below it, each in the one before.
  private var names: [String] = []
  let owner: UInt32

  var path: String { ([base] + names).joined(separator: "/") }

  init(_ base: String, owner: UInt32) { (self.base, self.owner) = (base, owner) }

  func folder(_ name: String) -> OwnFolder {
    var folder = self
    folder.names.append(name)
    return folder
  }

  /// - Throws: `ENOENT` where there is none; `ENOTDIR`, `EPERM` where it is none of ours.
  func open() throws(SystemError) -> OpenDirectory {
    var directory = try OpenDirectory(base, owner: owner)
    for name in names { directory = try directory.directory(name, owner: owner) }
    return directory
  }

  /// The same, after making what is missing.
  func make() throws(SystemError) -> OpenDirectory {
    try Self.unlessThere { () throws(SystemError) in try Files.makeDirectory(base, mode: 0o700) }
    var directory = try OpenDirectory(base, owner: owner)
    for name in names {
      do throws(SystemError) {
        try directory.makeDirectory(name, mode: 0o700)
      } catch {
        guard error.code == EEXIST else { throw error }
      }
      directory = try directory.directory(name, owner: owner)
    }
    return directory
  }

  private static func unlessThere(_ make: () throws(SystemError) -> Void) throws(SystemError) {
    do { try make() } catch { guard error.code == EEXIST else { throw error } }
  }
}
