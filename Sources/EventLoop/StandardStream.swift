import CLinux
import Glibc

/// The three descriptors that a program is started with.
package enum StandardStream: CInt, CaseIterable, Sendable {
  case input = 0
  case output = 1
  case error = 2

  /// Puts `/dev/null` where the program was started without one of the three: the next file or
  /// socket would get that number, and be written to as if it were the stream.
  ///
  /// - Returns: the streams that were not there.
  /// - Precondition: called in `main` before anything is opened.
  package static func fillGaps() -> Set<StandardStream> {
    var gaps: Set<StandardStream> = []
    for stream in allCases where fcntl(stream.rawValue, F_GETFD) == -1 {
      // The lowest free number is this one: those below are open by now.
      _ = open("/dev/null", O_RDWR)
      gaps.insert(stream)
    }
    return gaps
  }

  package var isTerminal: Bool { isatty(rawValue) == 1 }

  /// Of a terminal that tells it.
  package var columns: Int? {
    let columns = Int(clinux_terminal_columns(rawValue))
    return columns > 0 ? columns : nil
  }

  /// Writes all of it. Where another program made the stream non-blocking, it waits.
  ///
  /// - Throws: `EPIPE` when nobody reads any more, `ENOSPC`, `EIO`.
  package func write(_ bytes: [UInt8]) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      do {
        let count = try Files.retrying("write") {
          CInt(
            rest.withUnsafeBytes { Glibc.write(rawValue, $0.baseAddress, min($0.count, 1 << 20)) })
        }
        rest = rest.dropFirst(Int(count))
      } catch {
        guard error.code == EAGAIN else { throw error }
        var entry = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
        _ = poll(&entry, 1, -1)
      }
    }
  }

  /// Everything up to the end of the input.
  ///
  /// - Throws: `EFBIG` when there are more than `limit` bytes.
  package func readToEnd(limit: Int) throws(SystemError) -> [UInt8] {
    try OwnedDescriptor.duplicate(of: rawValue).readToEnd(limit: limit)
  }
}
