import EventLoop
import Glibc

/// Reads answers of a person from the terminal while the loop goes on.
@LoopActor final class LineReader {
  /// Bytes of an answer that are looked at.
  private static let longest = 256

  private var waiter: UnsafeContinuation<String?, Never>?
  private var source: ReadinessSource?

  /// - Returns: a line without its end; `nil` at the end of the input, or where it cannot be read.
  /// - Precondition: standard input is a terminal, which hands over whole lines.
  func next() async -> String? {
    do {
      source = try ReadinessSource(watching: StandardStream.input.rawValue, for: .readable) {
        [weak self] _ in self?.read()
      }
    } catch {
      return nil
    }
    defer {
      source?.cancel()
      source = nil
    }
    return await withUnsafeContinuation { waiter = $0 }
  }

  private func read() {
    var bytes = [UInt8](repeating: 0, count: Self.longest)
    let count = Glibc.read(StandardStream.input.rawValue, &bytes, bytes.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    let line = bytes.prefix(max(0, count))
    waiter?.resume(
      returning: line.isEmpty ? nil : String(decoding: line.prefix { $0 != 10 }, as: UTF8.self))
    waiter = nil
  }
}

extension Terminal {
  /// Asks until the answer is one; the end of the input is a no.
  ///
  /// - Precondition: `surroundings.isInteractive`.
  func confirm(_ question: String) async -> Bool {
    let reader = LineReader()
    while true {
      ask("\(question) [Y/n] ")
      guard let answer = await reader.next() else {
        say("")
        return false
      }
      switch answer.trimmedAndLowercased {
      case "", "y", "yes": return true
      case "n", "no": return false
      default: say("Please answer y or n.")
      }
    }
  }
}

extension String {
  fileprivate var trimmedAndLowercased: String {
    split(separator: " ").joined(separator: " ").lowercased()
  }
}
