/// `mero-consent completions bash`. Needs nothing but bash 4.
enum BashCompletion {
  static var script: String {
    let commands = CompletionScript.commands
    return """
      # bash completion for mero-consent. Made by “mero-consent completions bash”.

      _mero_consent_values() {
        # What may follow an option; 1 where the word is no option with a value.
        case "$1" in
      \(commands.map(values).joined(separator: "\n"))
          "")
            case "$2" in
      \(cases(CommandTable.global).joined(separator: "\n"))
              *) return 1 ;;
            esac ;;
          *) return 1 ;;
        esac
      }

      _mero_consent() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
        local path= word skip= operands=0 index kind=
        COMPREPLY=()
        # Bash takes “--option=value” apart.
        if [[ $current == = ]]; then current=; fi
        if [[ $previous == = && COMP_CWORD -gt 1 ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi
        for ((index = 1; index < COMP_CWORD; index++)); do
          word=${COMP_WORDS[index]}
          if [[ $word == = ]]; then skip=1; continue; fi
          if [[ -n $skip ]]; then skip=; continue; fi
          case "$word" in
            \(CompletionScript.valueWords.joined(separator: "|"))) skip=1 ;;
            -*) ;;
            *)
              case "$path" in
                "") path=$word ;;
                \(alternatives(CompletionScript.groupWords))) path="$path $word" ;;
                *) operands=$((operands + 1)) ;;
              esac ;;
          esac
        done
        if [[ $previous == -* ]] && kind=$(_mero_consent_values "$path" "$previous"); then
          case "$kind" in
            @file) compopt -o default 2>/dev/null ;;
            @directory) compopt -o dirnames 2>/dev/null ;;
            @session)
              COMPREPLY=($(compgen -W "$(\(CompletionScript.sessionCommand))" -- "$current")) ;;
            *) COMPREPLY=($(compgen -W "$kind" -- "$current")) ;;
          esac
          return
        fi
        case "$path" in
          "") word="\((CompletionScript.firstWords.map(\.word) + globalWords).joined(separator: " "))" ;;
      \(CompletionScript.groupWords.map(group).joined(separator: "\n"))
      \(commands.map(words).joined(separator: "\n"))
          *) word= ;;
        esac
        COMPREPLY=($(compgen -W "$word" -- "$current"))
      }

      complete -F _mero_consent mero-consent

      """
  }

  private static var globalWords: [String] {
    CommandTable.global.flatMap(CompletionScript.words)
  }

  private static func alternatives(_ words: [String]) -> String {
    words.map { "\"\($0)\"" }.joined(separator: "|")
  }

  private static func cases(_ options: [Option]) -> [String] {
    options.filter { $0.metavar != nil }.map { option in
      let words = CompletionScript.allWords(of: option).joined(separator: "|")
      return "        \(words)) echo \"\(kind(of: option.values))\" ;;"
    }
  }

  private static func kind(of values: Option.Values) -> String {
    switch values {
    case .anything: ""
    case .file: "@file"
    case .directory: "@directory"
    case .session: "@session"
    case .command: CompletionScript.helpWords.joined(separator: " ")
    case .words(let words): words.joined(separator: " ")
    }
  }

  private static func values(of command: Command) -> String {
    let cases = cases(CompletionScript.options(of: command))
    return """
          \(alternatives(CompletionScript.paths(of: command))))
            case "$2" in
      \((cases + ["        *) return 1 ;;"]).joined(separator: "\n"))
            esac ;;
      """
  }

  private static func group(_ word: String) -> String {
    let next = CompletionScript.secondWords(of: word).map(\.word).joined(separator: " ")
    return "    \"\(word)\") word=\"\(next) --help\" ;;"
  }

  /// Operands are completed where they are what comes next.
  private static func words(of command: Command) -> String {
    let options = CompletionScript.options(of: command).flatMap(CompletionScript.words)
    var lines = ["    \(alternatives(CompletionScript.paths(of: command))))"]
    lines.append("      word=\"\(options.joined(separator: " "))\"")
    for (index, operand) in command.operands.enumerated() {
      let condition = "[[ $operands == \(index) && $current != -* ]]"
      switch operand.values {
      case .session:
        lines.append("      \(condition) && word=\"$(\(CompletionScript.sessionCommand)) $word\"")
      case .command:
        let words = CompletionScript.helpWords.joined(separator: " ")
        lines.append("      \(condition) && word=\"\(words) $word\"")
      case .words(let words):
        lines.append("      \(condition) && word=\"\(words.joined(separator: " ")) $word\"")
      case .file: lines.append("      \(condition) && compopt -o default 2>/dev/null")
      case .directory: lines.append("      \(condition) && compopt -o dirnames 2>/dev/null")
      case .anything: break
      }
    }
    return lines.joined(separator: "\n") + " ;;"
  }
}
