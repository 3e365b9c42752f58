import EventLoop
import Glibc
import MeroConsent

/// `mero-consentd` from its options to its exit code.
package enum DaemonProgram {
  /// EX_USAGE.
  private static let usage: Int32 = 64

  /// Does what the command line asks for.
  ///
  /// - Precondition: called once, on the main thread, after `ProcessGuard.raise()`.
  /// - Returns: the exit code.
  package static func run() -> Int32 {
    let options: DaemonOptions
    do {
      let arguments = try ProgramArguments(DaemonOptions.known)
      guard arguments.operands.isEmpty else {
        say("there are no arguments, only options; see --help")
        return usage
      }
      options = try DaemonOptions(arguments.options)
    } catch let error as DaemonOptions.Wrong {
      say(error.sentence)
      return usage
    } catch {
      // getopt_long has said what is wrong.
      return usage
    }
    switch options.action {
    case .version:
      print("mero-consentd \(ProductVersion.text)")
      return 0
    case .help:
      print(DaemonOptions.help, terminator: "")
      return 0
    case .checkConfiguration, .run: return configured(options)
    }
  }

  private static func configured(_ options: DaemonOptions) -> Int32 {
    let surroundings = Surroundings.current()
    do throws(StartFailure) {
      let (configuration, faults) = try options.configuration(surroundings)
      for fault in faults { say(fault) }
      guard faults.isEmpty else {
        throw StartFailure(.configurationInvalid, "the configuration has faults, named above")
      }
      if options.action == .checkConfiguration {
        _ = try DaemonPaths(configuration, surroundings)
        return 0
      }
      return serve(configuration, surroundings)
    } catch {
      say(error.description)
      return error.word.exitCode
    }
  }

  private static func serve(
    _ configuration: Configuration, _ surroundings: Surroundings
  ) -> Int32 {
    // Before there is a second thread, so that no thread takes them.
    Signals.block([.terminate, .interrupt, .hangUp])
    OpenFilesLimit.raise()
    let log = Log(level: configuration.logLevel)
    let result = ExitCode()
    EventLoop.runOnThisThread {
      let daemon = Daemon(configuration, surroundings, log: log) { _ throws(ConsentError) in
        throw ConsentError(.browserUnavailable)
      }
      do throws(StartFailure) {
        try await daemon.start()
        await daemon.waitForStop()
      } catch {
        say(error.description)
        result.code = error.word.exitCode
      }
      await daemon.stop()
      EventLoop.stop()
    }
    return result.code
  }

  /// One line on standard error, with nothing in it that a terminal would act on.
  private static func say(_ text: String) {
    Log.standardError(.error, "mero-consentd: \(escaped(text))\n")
  }
}

/// What the loop's end is told to the main function.
@LoopActor private final class ExitCode {
  nonisolated(unsafe) var code: Int32 = 0

  nonisolated init() {}
}
