/// One option of a command.
struct Option: Sendable, Equatable {
  /// What a shell may complete its value with.
  enum Values: Sendable, Equatable {
    case anything
    case file
    case directory
    case session
    /// The first word of a command.
    case command
    case words([String])
  }

  /// `ttl-secs`, without the dashes.
  let name: String
  var letter: Character?
  /// What the value is called; `nil` for a flag.
  let metavar: String?
  /// A sentence without its capital and its dot.
  var help: String
  var isRequired = false
  var isRepeatable = false
  var values = Values.anything
  /// Other spellings that are taken and not shown: the guide's `ttlSecs`.
  var aliases: [String] = []
  /// Why the option is not taken: only what is on the command line is refused so.
  var refusal: String?

  init(
    _ name: String, letter: Character? = nil, _ metavar: String? = nil, help: String,
    required: Bool = false, repeatable: Bool = false, values: Values = .anything,
    aliases: [String] = [], refusal: String? = nil
  ) {
    self.name = name
    self.letter = letter
    self.metavar = metavar
    self.help = help
    isRequired = required
    isRepeatable = repeatable
    self.values = values
    self.aliases = aliases
    self.refusal = refusal
  }

  /// `--ttl-secs N`, as help shows it.
  var usage: String { metavar.map { "--\(name) \($0)" } ?? "--\(name)" }
}

extension Option {
  // Every command has these two.

  static let json = Option(
    "json", help: "print one JSON document on standard output; all else goes to standard error")
  static let help = Option("help", letter: "h", help: "explain the command and exit")

  /// As the program's own help shows it, where not every command takes it.
  var forSome: Option {
    var option = self
    option.help += "; for commands that ask the daemon"
    return option
  }

  /// What commands that speak with the daemon have.
  static let socket = Option(
    "socket", "PATH",
    help: "the daemon's socket (default: api.sock in $XDG_RUNTIME_DIR/mero-consent)", values: .file)

  /// What commands that act in an app's name have besides.
  static let session = Option(
    "session", letter: "s", "NAME",
    help: "the session to use (default: the first that was added)", values: .session)
}
