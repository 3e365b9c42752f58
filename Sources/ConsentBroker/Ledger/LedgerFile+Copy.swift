import EventLoop

extension LedgerFile {
  /// Bytes of a database that is copied: it goes into memory.
  private static let copyLimit = 256 << 20

  /// Opens a copy of the database in `spare`: SQLite makes files beside a database even to read it,
  /// so that one on a disk that takes nothing cannot be read where it is.
  ///
  /// The copy is for reading alone, and is gone when the database itself can be used (`Ledger`).
  ///
  /// - Returns: `nil` where that is not the fault, where there is no database, or no sound one.
  func openCopy(in spare: String, because fault: LedgerError) -> Opened? {
    switch fault {
    case .full, .readOnly: break
    case .damaged, .newerVersion, .unsuitable, .failed: return nil
    }
    let copy = LedgerFile(directory: spare)
    copy.removeCopy()
    do {
      guard try Files.status(of: path, followsLink: false).size > 0 else { return nil }
      try Files.makeDirectories(spare, mode: 0o700)
      for name in ["", Self.sideNames[0]] where name.isEmpty || exists(path + name) {
        let bytes = try Files.read(path + name, limit: Self.copyLimit)
        try Files.replace(copy.path + name, with: bytes, mode: 0o600)
      }
      var warnings: [String] = []
      let connection = try copy.connect(&warnings)
      let ledger = try Ledger(
        connection: connection, directory: directory, obstacle: fault, copy: copy)
      return Opened(ledger: ledger, reset: nil, warnings: [], obstacle: fault)
    } catch {
      copy.removeCopy()
      return nil
    }
  }

  func removeCopy() {
    for suffix in [""] + Self.sideNames { try? Files.unlink(path + suffix) }
  }
}
