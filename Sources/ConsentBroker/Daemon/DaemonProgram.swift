import EventLoop
import Glibc
import MeroConsent

/// `mero-consentd` from its options to its exit code.
package enum DaemonProgram {
  /// EX_USAGE.
  private static let usage: Int32 = 64
  /// The daemon has three threads or four of its own; all others look up names.
  private static let mostThreads = 64

  /// Does what the command line asks for.
  ///
  /// - Parameter makeClient: how a node is spoken with; tests bring their own.
  /// - Precondition: called once, on the main thread, after `ProcessGuard.raise()`.
  /// - Returns: the exit code.
  package static func run(
    makeClient: @escaping BrokerTools.ClientMaker = BrokerTools.client
  ) -> Int32 {
    // Whoever traces us reads all that we will hold, and cannot be got rid of.
    if let tracer = ProcessGuard.tracer {
      return failed(
        StartFailure(
          .traced, "process \(tracer) traces this one and could read its secrets; not starting"))
    }
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
    case .checkConfiguration, .run: return configured(options, makeClient)
    }
  }

  private static func configured(
    _ options: DaemonOptions, _ makeClient: @escaping BrokerTools.ClientMaker
  ) -> Int32 {
    let surroundings = Surroundings.current()
    if options.action == .checkConfiguration {
      do throws(StartFailure) {
        let configuration = try checked(options, surroundings)
        _ = try DaemonPaths(configuration, surroundings)
        let faults = TokenFiles(surroundings).faults(of: configuration.sessions)
        for fault in faults { say(fault) }
        return faults.isEmpty ? 0 : StartFailure.Word.configurationInvalid.exitCode
      } catch {
        return failed(error)
      }
    }
    var activation: ActivationSockets
    do throws(ActivationError) {
      activation = try ActivationSockets.take()
    } catch {
      return failed(
        StartFailure(
          .configurationInvalid,
          "the service manager passed the socket “\(error.name)”, which is neither the API's nor "
            + "on loopback"))
    }
    return serve(options, surroundings, &activation, makeClient)
  }

  /// The configuration, once it has no fault; each fault is said.
  private static func checked(
    _ options: DaemonOptions, _ surroundings: Surroundings
  ) throws(StartFailure) -> Configuration {
    let (configuration, faults) = try options.configuration(surroundings)
    for fault in faults { say(fault) }
    guard faults.isEmpty else {
      throw StartFailure(
        .configurationInvalid,
        "the configuration has faults: \(faults.joined(separator: "; "))")
    }
    return configuration
  }

  private static func serve(
    _ options: DaemonOptions, _ surroundings: Surroundings, _ activation: inout ActivationSockets,
    _ makeClient: @escaping BrokerTools.ClientMaker
  ) -> Int32 {
    // Before there is a second thread, so that no thread takes them.
    Signals.block([.terminate, .interrupt, .hangUp])
    OpenFilesLimit.raise()
    ProcessMemory.keepSmall()
    let configuration = Result { () throws(StartFailure) in try checked(options, surroundings) }
    let log = Log(
      level: (try? configuration.get())?.logLevel ?? .info,
      sink: StandardError.isJournal ? Journal.sink : Log.standardError)
    let confinement = confined(options, surroundings, try? configuration.get(), log)
    let handedOver = HandedOver(&activation)
    let result = ExitCode()
    EventLoop.runOnThisThread {
      NameLookups.mostThreads = Self.mostThreads
      let run = DaemonRun(
        options, surroundings, log: log, confinement: confinement, makeClient)
      result.code = await run.run(configuration, handedOver)
      EventLoop.stop()
    }
    return result.code
  }

  /// A daemon that can only say what is wrong holds nothing, and stays as free as it is to see
  /// when that is mended.
  private static func confined(
    _ options: DaemonOptions, _ surroundings: Surroundings, _ configuration: Configuration?,
    _ log: Log
  ) -> Confinement? {
    guard Confinement.isWanted, let configuration,
      let paths = try? DaemonPaths(configuration, surroundings),
      let file = try? options.path(surroundings)
    else { return nil }
    let version = FileConfinement.kernelVersion
    do throws(SystemError) {
      let confinement = try Confinement(
        paths, configurationFile: file, tokenFiles: configuration.tokenFiles
      ) { name in getenv(name).map { String(cString: $0) } }
      log.info("confined to its own files by Landlock \(version)", .event(.confined))
      return confinement
    } catch {
      let why =
        version == 0 ? "this kernel has no Landlock, or it is turned off" : error.description
      log.warning("not confined to its own files: \(why)", .event(.notConfined))
      return nil
    }
  }

  private static func failed(_ failure: StartFailure) -> Int32 {
    // As the log says it to whoever starts one by hand, once there is a log.
    say("error: \(failure)")
    return failure.word.exitCode
  }

  /// One line on standard error, with nothing in it that a terminal would act on.
  static func say(_ text: String) {
    Log.write("mero-consentd: \(escaped(text))\n")
  }
}

/// What the loop's end is told to the main function.
@LoopActor private final class ExitCode {
  // Written on the loop's thread, which is the main one, and read there after the loop has ended.
  nonisolated(unsafe) var code: Int32 = 0

  nonisolated init() {}
}
