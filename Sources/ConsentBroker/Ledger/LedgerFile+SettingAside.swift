import EventLoop
import FoundationEssentials
import Glibc

// A damaged database is moved to a dated name. That of one that nobody was told of is another one,
// so that a crash or a full disk behind the move does not keep it from being told at the next start.

extension LedgerFile {
  /// How many damaged databases are kept. Each may be as large as 30 days of requests.
  static let damagedKept = 3
  private static let prefix = "\(name).corrupt-"
  private static let untoldPrefix = "\(name).untold.corrupt-"

  /// Moves the database and its side files. Nothing of it is deleted.
  func setAside() throws(LedgerError) {
    let stamp = Self.stamp(of: .now)
    do throws(SystemError) {
      // The database first: what a crash leaves behind is then found by `openOrReset`.
      for suffix in [""] + Self.sideNames where exists(path + suffix) {
        try Files.rename(
          path + suffix, to: "\(directory)/\(Self.untoldPrefix)\(stamp)\(suffix)")
      }
      try Files.syncDirectory(directory)
    } catch {
      throw LedgerError(error)
    }
  }

  /// - Parameter damage: what was found at this start.
  /// - Returns: a sentence that says where what was set aside is, and why; `nil` where nothing was that
  ///   nobody has been told of.
  func reset(after damage: String?) -> String? {
    let stamps = ((try? Files.names(in: directory)) ?? []).compactMap { name in
      name.hasPrefix(Self.untoldPrefix)
        ? name.dropFirst(Self.untoldPrefix.count).prefix(Self.stampLength) : nil
    }
    guard let newest = stamps.max() else { return nil }
    return "the database was damaged (\(damage ?? "found at an earlier start")); it was moved to "
      + "\(directory)/\(Self.prefix)\(newest) and an empty one was made"
  }

  /// Of all that was set aside people have been told by now. The oldest beyond `damagedKept` are deleted.
  func resetIsTold() throws(SystemError) {
    var told = Set<String>()
    for name in try Files.names(in: directory) {
      if name.hasPrefix(Self.untoldPrefix) {
        let newName = Self.prefix + name.dropFirst(Self.untoldPrefix.count)
        try Files.rename("\(directory)/\(name)", to: "\(directory)/\(newName)")
        told.insert(newName)
      } else if name.hasPrefix(Self.prefix) {
        told.insert(name)
      }
    }
    let stamps = Set(told.map { $0.dropFirst(Self.prefix.count).prefix(Self.stampLength) }).sorted()
    for stamp in stamps.dropLast(Self.damagedKept) {
      for name in told where name.dropFirst(Self.prefix.count).hasPrefix(stamp) {
        try Files.unlink("\(directory)/\(name)")
      }
    }
  }

  /// `20261201T100000.123Z`: sorts by time, and needs no quoting in a shell.
  static func stamp(of date: Date) -> String {
    let milliseconds = date.ledgerTime
    var seconds = time_t(milliseconds / 1000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func digits(_ number: some BinaryInteger, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
    return digits(parts.tm_year + 1900, 4) + digits(parts.tm_mon + 1, 2) + digits(parts.tm_mday, 2)
      + "T" + digits(parts.tm_hour, 2) + digits(parts.tm_min, 2) + digits(parts.tm_sec, 2) + "."
      + digits(milliseconds % 1000, 3) + "Z"
  }

  private static let stampLength = 20
}
