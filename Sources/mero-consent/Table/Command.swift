import EventLoop

/// One thing that the program does: what it is called with, what it says about itself, and what
/// it does. Help, completions and the manual page are made from it.
struct Command: Sendable {
  /// Where help lists it.
  enum Group: String, CaseIterable, Sendable {
    case sessions = "Sessions"
    case requests = "Requests"
    case returns = "Returns"
    case trust = "Nodes and quotes"
    case care = "Looking after it"
  }

  /// Something on the command line that is no option.
  struct Operand: Sendable, Equatable {
    /// `URL`, in capitals.
    let metavar: String
    let help: String
    var isOptional = false
    var values = Option.Values.anything
  }

  struct Example: Sendable {
    let text: String
    let line: String
  }

  typealias Run =
    @LoopActor @Sendable (ParsedArguments, Terminal) async throws(CommandFailure) ->
    ExitCode

  /// `["session", "add"]`.
  let path: [String]
  let group: Group
  /// A sentence without its capital and its dot, below 60 characters.
  let summary: String
  /// More about it, a paragraph each.
  var description: [String] = []
  /// Its own options; `--json` and `--help` come on top.
  var options: [Option] = []
  var operands: [Operand] = []
  /// Those that are not the same for all commands.
  var exitCodes: [ExitCode] = [.done, .usage]
  /// What 1 means here.
  var faultMeaning: String?
  /// What `--json` does here, where it is not one document.
  var jsonHelp: String?
  var examples: [Example] = []
  /// Other spellings of the last word of the path: `create-org`.
  var aliases: [String] = []
  /// Neither in help nor in completions.
  var isHidden = false
  let run: Run

  var name: String { path.joined(separator: " ") }

  var allOptions: [Option] {
    options + [ownJSON ?? .json, .help]
  }

  /// `--json`, where it is not one document.
  var ownJSON: Option? { jsonHelp.map { Option(Option.json.name, help: $0) } }

  func meaning(of code: ExitCode) -> String {
    code == .faulty
      ? faultMeaning ?? code.meaning(isDecision: false) : code.meaning(isDecision: isDecision)
  }

  /// Its exit code tells what became of a request.
  var isDecision: Bool { exitCodes.contains(.declined) }

  /// Help shows its group's line in place of it.
  var isListedByGroup: Bool {
    path.count > 1 && CommandTable.groups.contains { $0.word == path.first }
  }

  /// `session add NAME --node URL …`.
  var usage: String {
    let given = operands.map { $0.isOptional ? "[\($0.metavar)]" : $0.metavar }
    let required = options.filter { $0.isRequired && $0.refusal == nil }.map(\.usage)
    let hasMore = options.contains { !$0.isRequired && $0.refusal == nil }
    return ([name] + given + required + (hasMore ? ["[OPTION]..."] : [])).joined(separator: " ")
  }

  /// Whether `words` begin with this command's path, in any of its spellings.
  func matches(_ words: [String]) -> Bool {
    words.count == path.count && words.dropLast().elementsEqual(path.dropLast())
      && (words.last == path.last || aliases.contains(words.last ?? ""))
  }
}
