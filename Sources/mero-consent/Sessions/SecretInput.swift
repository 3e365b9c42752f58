import EventLoop
import Glibc
import MeroConsent

/// Secrets that a person hands over: by a file or standard input, never by the command line,
/// which every process of the machine can read.
enum SecretInput {
  /// What stands for standard input.
  static let standardInput = "-"

  /// Waits for whoever writes to a pipe, or types, which is not shown; Ctrl-C ends it.
  ///
  /// - Parameter source: a path, or `-`.
  /// - Returns: the text without spaces and line ends around it.
  /// - Throws: `FILE_NOT_PRIVATE`, `FILE_UNUSABLE`.
  @LoopActor static func read(
    _ source: String, called name: String, on terminal: Terminal
  ) throws(CommandFailure) -> String {
    // A token with line ends, and room to tell that one is too long.
    let limit = SessionTokens.longest + 64
    var bytes: [UInt8]
    if source == standardInput {
      do throws(SystemError) {
        bytes = try typed(limit: limit, called: name, on: terminal)
      } catch {
        throw PrivateFile.unusable("standard input", error)
      }
    } else {
      bytes = try Signals.unblocked(Interrupts.signals) { () throws(CommandFailure) in
        try PrivateFile.read(source, limit: limit)
      }
    }
    defer {
      bytes.withUnsafeMutableBytes { bytes in
        if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
      }
    }
    let spaces: Set<UInt8> = [0x20, 0x09, 0x0a, 0x0d]
    let text = bytes.drop { spaces.contains($0) }
    let end = text.lastIndex { !spaces.contains($0) }.map { $0 + 1 } ?? text.startIndex
    let place = source == standardInput ? "standard input" : source
    guard end > text.startIndex else {
      throw CommandFailure(.badData, .fileUnusable, "\(place) holds no \(name)", field: source)
    }
    guard text[..<end].allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
      throw CommandFailure(
        .badData, .fileUnusable,
        "\(place) holds something else than the \(name), which is one word of visible ASCII",
        field: source)
    }
    return String(decoding: text[..<end], as: UTF8.self)
  }

  @LoopActor private static func typed(
    limit: Int, called name: String, on terminal: Terminal
  ) throws(SystemError) -> [UInt8] {
    guard StandardStream.input.isTerminal else {
      return try Signals.unblocked(Interrupts.signals) { () throws(SystemError) in
        try StandardStream.input.readToEnd(limit: limit)
      }
    }
    terminal.ask("Paste the \(name), which is not shown, and press Enter: ")
    let end = Result { () throws(SystemError) in
      try HiddenInput.line(limit: limit, endedBy: Interrupts.signals + [.hangUp])
    }
    terminal.say("")
    switch try end.get() {
    case .line(let bytes): return bytes
    case .signal(let signal): ProcessEnd.by(signal.rawValue)
    }
  }
}
