import CLinux
import Glibc

/// A line that a person types or pastes into the terminal and that nobody looking on may read.
package enum HiddenInput {
  /// What ended the reading.
  package enum End: Sendable {
    /// The line without its end, or what came before the end of the input.
    case line([UInt8])
    /// It has been taken, so it has no further effect: the terminal shows what is typed again
    /// before the caller acts on it.
    case signal(Signal)
  }

  /// Reads one line of standard input, which is a terminal, and does not show it. Not limited to
  /// the 4,095 bytes that a terminal hands over as one line (termios(3)); erasing a character and
  /// the whole line work as ever.
  ///
  /// A Ctrl-Z is a character like others meanwhile: a shell shows what is typed while the program
  /// is stopped, and does not hide it again.
  ///
  /// - Parameter signals: blocked meanwhile.
  /// - Throws: `EFBIG` for more than `limit` bytes, `EIO`.
  package static func line(
    limit: Int, endedBy signals: [Signal]
  ) throws(SystemError) -> End {
    try Signals.blocked(signals) { () throws(SystemError) in
      try read(limit: limit, endedBy: signals)
    }
  }

  private static func read(limit: Int, endedBy signals: [Signal]) throws(SystemError) -> End {
    let arrival = try Signals.descriptor(of: signals)
    var shown = termios()
    _ = try systemCall("tcgetattr") { tcgetattr(STDIN_FILENO, &shown) }
    var hidden = shown
    hidden.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON)
    withUnsafeMutableBytes(of: &hidden.c_cc) { keys in
      keys[Int(VMIN)] = 1
      keys[Int(VTIME)] = 0
      // _POSIX_VDISABLE
      keys[Int(VSUSP)] = 0
    }
    let keys = withUnsafeBytes(of: &shown.c_cc) { Array($0) }
    _ = try systemCall("tcsetattr") { tcsetattr(STDIN_FILENO, TCSADRAIN, &hidden) }
    defer { tcsetattr(STDIN_FILENO, TCSADRAIN, &shown) }
    var line: [UInt8] = []
    // Its old buffer may hold the secret, so it never grows.
    line.reserveCapacity(limit)
    while true {
      if let signal = try signal(orInput: arrival) { return .signal(signal) }
      var byte: UInt8 = 0
      let count = try Files.retrying("read") { CInt(Glibc.read(STDIN_FILENO, &byte, 1)) }
      switch byte {
      case _ where count == 0: return .line(line)
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"), keys[Int(VEOF)]: return .line(line)
      case keys[Int(VERASE)], 0x08: _ = line.popLast()
      case keys[Int(VKILL)]: line.removeAll(keepingCapacity: true)
      default:
        guard line.count < limit else { throw SystemError(call: "read", code: EFBIG) }
        line.append(byte)
      }
    }
  }

  /// Waits for input, or for a signal.
  private static func signal(
    orInput arrival: borrowing OwnedDescriptor
  ) throws(SystemError) -> Signal? {
    let number = arrival.withNumber { $0 }
    var entries = [STDIN_FILENO, number].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    _ = try Files.retrying("poll") { poll(&entries, nfds_t(entries.count), -1) }
    return entries[1].revents == 0 ? nil : Signals.next(from: number)
  }
}
