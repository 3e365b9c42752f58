import EventLoop

@testable import mero_consent

/// A terminal that remembers what was written.
@LoopActor final class RecordedTerminal {
  private(set) var output = ""
  private(set) var error = ""
  private(set) var terminal: Terminal!

  init(wantsJSON: Bool = false, _ surroundings: Terminal.Surroundings = .init()) {
    terminal = Terminal(
      wantsJSON: wantsJSON, surroundings,
      output: { [weak self] (bytes) throws(SystemError) in
        self?.output += String(decoding: bytes, as: UTF8.self)
      },
      error: { [weak self] (bytes) throws(SystemError) in
        self?.error += String(decoding: bytes, as: UTF8.self)
      })
  }
}

/// What a command line is understood as.
func parsed(_ words: [String]) throws -> ParsedArguments {
  guard case .run(let arguments) = try ArgumentParser.parse(words.map { Array($0.utf8) }) else {
    throw NotACommand()
  }
  return arguments
}

struct NotACommand: Error {}
