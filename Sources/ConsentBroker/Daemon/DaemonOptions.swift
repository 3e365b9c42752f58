package import EventLoop

/// The command line of `mero-consentd`.
package struct DaemonOptions: Sendable {
  /// What it asks for.
  package enum Action: Sendable, Equatable {
    case run
    case checkConfiguration
    case version
    case help
  }

  package var action = Action.run
  /// `--config`; by default the XDG place, where there need not be a file.
  package var configurationFile: String?
  /// Options that overrule a key, in their order.
  private var overrules: [(key: ConfigurationKey, value: String)] = []

  /// Each option that takes a value, and the key that it overrules; `--config` has none.
  private static let keys: [(name: String, key: ConfigurationKey)] = [
    ("socket", .socket), ("callback-port", .callbackPort), ("state-dir", .stateDirectory),
    ("log-level", .logLevel),
  ]

  package static let known: [ProgramArguments.Known] =
    [.init("config", takesValue: true)] + keys.map { .init($0.name, takesValue: true) }
    + ["check-config", "version", "help"].map { .init($0, takesValue: false) }

  package struct Wrong: Error, Equatable, Sendable {
    package let sentence: String
  }

  /// - Throws: `Wrong` for a value that its option does not take.
  package init(_ options: [(name: String, value: String?)]) throws(Wrong) {
    var trial = Configuration()
    for (name, value) in options {
      switch (name, value) {
      case ("config", let path?): configurationFile = path
      case ("check-config", _): action = .checkConfiguration
      case ("version", _): action = .version
      case ("help", _): action = .help
      case (_, let value?):
        guard let key = Self.keys.first(where: { $0.name == name })?.key else { continue }
        do {
          try key.set(value, in: &trial)
        } catch {
          throw Wrong(sentence: "the value of --\(name) \(error.text)")
        }
        overrules.append((key, value))
      default: continue
      }
    }
  }

  /// The file that is read, whether it is there or not.
  func path(_ surroundings: Surroundings) throws(StartFailure) -> String {
    if let configurationFile { return configurationFile }
    return try surroundings.configurationFile()
  }

  /// The files under the options.
  ///
  /// - Returns: the configuration, and the faults of the files, with which it is not to be used.
  package func configuration(
    _ surroundings: Surroundings
  ) throws(StartFailure) -> (configuration: Configuration, faults: [String]) {
    let files: ConfigurationFiles
    if let path = configurationFile {
      files = ConfigurationFiles(main: path, isOptional: false)
    } else {
      files = ConfigurationFiles(main: try surroundings.configurationFile(), isOptional: true)
    }
    var (configuration, faults) = files.read()
    for (key, value) in overrules { try? key.set(value, in: &configuration) }
    return (configuration, faults)
  }

  package static let help = """
    Usage: mero-consentd [OPTION]...
    Receives the consent decisions of native Calimero apps, and serves them to those apps.

      --config FILE        the configuration
                           (default $XDG_CONFIG_HOME/mero-consent/mero-consentd.conf)
      --socket PATH        the socket of the local API
                           (default $XDG_RUNTIME_DIR/mero-consent/api.sock)
      --callback-port N    the port on 127.0.0.1 and ::1 (default 17463; 0 takes a free one)
      --state-dir DIR      where requests are recorded
                           (default $XDG_STATE_HOME/mero-consent)
      --log-level LEVEL    error, warning, info or debug (default info)
      --check-config       check the configuration and exit
      --version            print the version and exit
      --help               print this and exit

    Exit status: 0 after a stop; 64 for a wrong option; 69 where the callback or the socket cannot
    be listened on; 74 where the record of requests cannot be used; 75 where another daemon runs;
    77 where a debugger is attached; 78 for a wrong configuration or runtime directory.

    """
}
