import Glibc

/// A main loop that knows nothing of Swift's concurrency. It ends when a byte comes.
struct MainLoop: Sendable {
  private let reading: CInt
  private let writing: CInt

  init() throws {
    var ends: [CInt] = [0, 0]
    guard pipe(&ends) == 0 else { throw Failure() }
    (reading, writing) = (ends[0], ends[1])
  }

  struct Failure: Error {}

  /// From any thread.
  func end(_ code: UInt8) {
    var byte = code
    write(writing, &byte, 1)
  }

  func run() -> CInt {
    var entry = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
    while poll(&entry, 1, -1) < 1 {}
    var byte: UInt8 = 0
    return read(reading, &byte, 1) == 1 ? CInt(byte) : 70
  }
}
