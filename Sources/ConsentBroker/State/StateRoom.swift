import EventLoop

/// The room that is left on the disk of the record.
struct StateRoom: Sendable {
  let directory: String

  /// New requests leave this many bytes to the verdicts of those that run: a verdict takes some ten
  /// pages of 4 KiB in the log, and the log is written back to the database.
  static let reserve: Int64 = 262_144
  /// What a proof writes, in bytes: more than any one step of a request.
  private static let proof = 65_536

  /// One look, which writes nothing. Says nothing of quotas.
  ///
  /// - Throws: `.full`.
  func check() throws(LedgerError) {
    let left: Int64?
    do throws(SystemError) {
      left = try Files.room(at: directory)
    } catch {
      throw LedgerError(error)
    }
    guard let left, left < Self.reserve else { return }
    throw .full("ENOSPC: \(left / 1024) KiB are left, and the last \(Self.reserve / 1024) are kept")
  }

  /// Writes a file that nobody sees: that meets quotas, limits and a disk that cannot be written too.
  ///
  /// - Throws: `.full`, `.readOnly`, `.failed`.
  func prove() throws(LedgerError) {
    try check()
    do throws(SystemError) {
      let file = try Files.openNameless(in: directory)
      try file.writeAll([UInt8](repeating: 0x20, count: Self.proof))
      try file.sync()
    } catch {
      throw LedgerError(error)
    }
  }
}
