/// `mero-consent completions zsh`: a file named `_mero-consent` on `$fpath`.
enum ZshCompletion {
  static var script: String {
    let groups = CompletionScript.groupWords
    let single = CompletionScript.commands.filter { $0.path.count == 1 }
    return """
      #compdef mero-consent
      # zsh completion for mero-consent. Made by “mero-consent completions zsh”.

      _mero-consent_sessions() {
        local -a names
        names=(${(f)"$(\(CompletionScript.sessionCommand))"})
        compadd -a names
      }

      \(groups.map(function(ofGroup:)).joined(separator: "\n\n"))

      _mero-consent() {
        local curcontext=$curcontext state line
        local -A opt_args
        local -a commands
        commands=(
      \(descriptions(CompletionScript.firstWords, indent: "    "))
        )
        _arguments -C -S \\
      \(specifications(CommandTable.global).map { "    \($0) \\" }.joined(separator: "\n"))
          '1: :->command' '*:: :->rest'
        case $state in
          command) _describe -t commands command commands ;;
          rest)
            case $words[1] in
      \(groups.map { "        \($0)) _mero-consent_\($0) ;;" }.joined(separator: "\n"))
      \(single.map { arguments(of: $0, indent: "        ") }.joined(separator: "\n"))
            esac ;;
        esac
      }

      _mero-consent "$@"

      """
  }

  private static func function(ofGroup word: String) -> String {
    let members = CommandTable.members(of: word)
    return """
      _mero-consent_\(word)() {
        local curcontext=$curcontext state line
        local -A opt_args
        local -a commands
        commands=(
      \(descriptions(CompletionScript.secondWords(of: word), indent: "    "))
        )
        _arguments -C -S '1: :->command' '*:: :->rest'
        case $state in
          command) _describe -t commands 'command' commands ;;
          rest)
            case $words[1] in
      \(members.map { arguments(of: $0, indent: "        ") }.joined(separator: "\n"))
            esac ;;
        esac
      }
      """
  }

  private static func descriptions(
    _ words: [(word: String, summary: String)], indent: String
  ) -> String {
    words.map { "\(indent)\(quoted("\($0.word):\($0.summary)"))" }.joined(separator: "\n")
  }

  private static func arguments(of command: Command, indent: String) -> String {
    let words = ([command.path.last ?? ""] + command.aliases).joined(separator: "|")
    let operands = command.operands.enumerated().map { index, operand in
      let mark = operand.isOptional ? "::" : ":"
      return quoted(
        "\(index + 1)\(mark)\(plain(operand.metavar)):\(action(operand.values))")
    }
    let all = specifications(CompletionScript.options(of: command)) + operands
    return "\(indent)\(words)) _arguments -S \\\n"
      + all.map { "\(indent)  \($0)" }.joined(separator: " \\\n") + " ;;"
  }

  private static func specifications(_ options: [Option]) -> [String] {
    options.map { option in
      let words = CompletionScript.words(of: option)
      let exclusion = option.isRepeatable ? "*" : "(\(words.joined(separator: " ")))"
      let value = option.metavar.map { ":\(plain($0)):\(action(option.values))" } ?? ""
      let text = "[\(plain(option.help))]"
      guard words.count > 1 else { return quoted("\(exclusion)\(words[0])\(text)\(value)") }
      return "\(quoted(exclusion)){\(words.joined(separator: ","))}\(quoted("\(text)\(value)"))"
    }
  }

  private static func action(_ values: Option.Values) -> String {
    switch values {
    case .anything: " "
    case .file: "_files"
    case .directory: "_files -/"
    case .session: "_mero-consent_sessions"
    case .command: "(\(CompletionScript.helpWords.joined(separator: " ")))"
    case .words(let words): "(\(words.joined(separator: " ")))"
    }
  }

  /// Without what `_arguments` reads as its own marks.
  private static func plain(_ text: String) -> String {
    text.replacing(":", with: "\\:").replacing("[", with: "\\[").replacing("]", with: "\\]")
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: "'\\''") + "'"
  }
}
