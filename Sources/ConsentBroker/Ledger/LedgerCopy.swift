import EventLoop

/// A copy of the database on another disk, for reading alone: SQLite makes files beside a database even
/// to read it, so that one on a disk that takes nothing cannot be read where it is.
struct LedgerCopy: Sendable {
  let folder: OwnFolder

  /// Bytes of a database that is copied: the other disk may be memory.
  private static let limit = 256 << 20

  /// Makes it anew, of the database and its log.
  func make(of file: LedgerFile) throws(SystemError) -> LedgerFile {
    remove()
    let directory = try folder.make()
    for suffix in ["", LedgerFile.sideNames[0]]
    where suffix.isEmpty || file.exists(file.path + suffix) {
      let source = try Files.open(file.path + suffix, .read)
      try source.checkIsRegular()
      try directory.replace(
        LedgerFile.name + suffix, withContentOf: source, limit: Self.limit, mode: 0o600)
    }
    return LedgerFile(directory: folder.path)
  }

  func remove() {
    guard let directory = try? folder.open() else { return }
    for suffix in [""] + LedgerFile.sideNames { try? directory.unlink(LedgerFile.name + suffix) }
  }
}
