import MeroConsent

/// A field of a request as an option of the command line.
struct KindField: Sendable {
  /// How the value is written.
  enum Form: Sendable {
    case text
    /// A bearer credential, from a file or standard input.
    case secret
    case number
    /// `--all-apps` and `--no-all-apps`.
    case flag
    case capabilities
    /// One text each time that the option is given.
    case texts
    /// One `TEAM[:ROLE[:CAPABILITIES]]` each time.
    case rows
  }

  /// The field's name in the request.
  let field: ConsentField
  let form: Form
  let isRequired: Bool
  /// The option's name without the dashes; of a list it names one item.
  private let name: String
  private let metavar: String
  private let help: String

  init(
    _ field: ConsentField, _ form: Form, as name: String? = nil, _ metavar: String,
    _ help: String, required: Bool = true
  ) {
    self.field = field
    self.form = form
    self.name = name ?? Spelling.dashed(field.rawValue)
    self.metavar = metavar
    self.help = help
    isRequired = required
  }

  /// A text.
  init(_ field: ConsentField, _ metavar: String, _ help: String, required: Bool = true) {
    self.init(field, .text, metavar, help, required: required)
  }

  /// The option that carries the value.
  var option: Option {
    switch form {
    case .secret:
      Option(
        name + "-file", "FILE",
        help: "\(help), in a file that only you can read, or - for standard input",
        required: isRequired, values: .file)
    case .flag: Option(name, help: help, aliases: aliases)
    case .text, .number, .capabilities:
      Option(name, metavar, help: help, required: isRequired, aliases: aliases)
    case .texts, .rows:
      Option(
        name, metavar, help: help, required: isRequired, repeatable: true, aliases: aliases)
    }
  }

  /// The option that says no to a flag.
  var negation: Option {
    Option("no-" + name, help: "the opposite of --\(name)", aliases: aliases.map { "no-" + $0 })
  }

  var options: [Option] {
    switch form {
    case .flag: [option, negation]
    case .secret:
      [
        option,
        Option(
          name, metavar, help: "",
          refusal: "a token on the command line can be read by every program of this machine: "
            + "give it with --\(name)-file"),
      ]
    case .text, .number, .capabilities, .texts, .rows: [option]
    }
  }

  /// The field's own name, where the option is spelt otherwise.
  private var aliases: [String] {
    [field.rawValue, Spelling.dashed(field.rawValue)].filter { $0 != name }.uniqued()
  }
}

extension [String] {
  fileprivate func uniqued() -> [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}

/// The guide's names and the command line's.
enum Spelling {
  /// `createOrg` is `create-org`.
  static func dashed(_ name: String) -> String {
    name.reduce(into: "") { text, letter in
      text += letter.isUppercase ? "-" + letter.lowercased() : String(letter)
    }
  }
}
