import EventLoop
import Glibc
import MeroConsent

/// `mero-consent` from its words to its exit code.
enum Program {
  /// - Precondition: called once, on the main thread, after `ProcessGuard.raise()`.
  static func run() -> Int32 {
    let gaps = StandardStream.fillGaps()
    Signals.block(Interrupts.signals)
    let words = words()
    let result = Result { () throws(CommandFailure) in try ArgumentParser.parse(words) }
    let end = ProgramEnd()
    EventLoop.runOnThisThread {
      let terminal = Terminal.ofProcess(wantsJSON: asksForJSON(result, words), gaps: gaps)
      let interrupts = Interrupts(terminal)
      end.code = await run(result, on: terminal)
      interrupts.stop()
      terminal.clearLive()
      EventLoop.stop()
    }
    return end.code.rawValue
  }

  @LoopActor static func run(
    _ parsed: Result<ArgumentParser.Outcome, CommandFailure>, on terminal: Terminal
  ) async -> ExitCode {
    do throws(CommandFailure) {
      switch try parsed.get() {
      case .version:
        try terminal.document(["version": ProductVersion.text])
        try terminal.print("mero-consent \(ProductVersion.text)")
        return .done
      case .help(let path):
        try terminal.raw(HelpText.text(of: path, columns: terminal.columns, terminal.style))
        return .done
      case .run(let arguments):
        do throws(CommandFailure) {
          return try await arguments.command.run(arguments, terminal)
        } catch {
          throw await FailureHints.completed(error, of: arguments)
        }
      }
    } catch {
      terminal.report(error)
      return error.exit
    }
  }

  /// A command line that was not understood may have asked for it all the same.
  private static func asksForJSON(
    _ parsed: Result<ArgumentParser.Outcome, CommandFailure>, _ words: [[UInt8]]
  ) -> Bool {
    switch parsed {
    case .success(.run(let arguments)): arguments.has(.json)
    case .success, .failure: words.prefix { $0 != Array("--".utf8) }.contains(Array("--json".utf8))
    }
  }

  /// The command line without the program's name, byte for byte.
  private static func words() -> [[UInt8]] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      CommandLine.unsafeArgv[index].map { word in
        Array(UnsafeBufferPointer(start: word, count: strlen(word))).map(UInt8.init(bitPattern:))
      }
    }
  }
}

/// What the loop's end is told to the main function.
@LoopActor private final class ProgramEnd {
  // Written on the loop's thread, which is the main one, and read there after the loop has ended.
  nonisolated(unsafe) var code = ExitCode.done

  nonisolated init() {}
}
