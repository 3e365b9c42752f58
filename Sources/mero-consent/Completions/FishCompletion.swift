/// `mero-consent completions fish`: a file named `mero-consent.fish`.
enum FishCompletion {
  static var script: String {
    let first = CompletionScript.firstWords.map { word, summary in
      line("__mero_consent_at ''", "-a \(quoted(word)) -d \(quoted(summary))")
    }
    let global = CommandTable.global.map { line("__mero_consent_at ''", specification($0)) }
    let second = CompletionScript.groupWords.flatMap { group in
      CompletionScript.secondWords(of: group).map { word, summary in
        line("__mero_consent_at \(quoted(group))", "-a \(quoted(word)) -d \(quoted(summary))")
      }
    }
    let commands = CompletionScript.commands.flatMap { command in
      let place = CompletionScript.paths(of: command).map(quoted).joined(separator: " ")
      return CompletionScript.options(of: command).map {
        line("__mero_consent_at \(place)", specification($0))
      } + operands(of: command, at: place)
    }
    return """
      # fish completion for mero-consent. Made by “mero-consent completions fish”.

      function __mero_consent_at --description 'Whether the command is one of these'
          set -l path
          set -l skip 0
          for word in (commandline -opc)[2..-1]
              if test $skip -eq 1
                  set skip 0
                  continue
              end
              switch $word
                  case \(CompletionScript.valueWords.joined(separator: " "))
                      set skip 1
                  case '-*'
                  case '*'
                      if test (count $path) -eq 0
                          set path $word
                      else if test (count $path) -eq 1; and contains -- $path \(CompletionScript.groupWords.joined(separator: " "))
                          set -a path $word
                      end
              end
          end
          contains -- "$path" $argv
      end

      complete -c mero-consent -f
      \((first + global + second + commands).joined(separator: "\n"))

      """
  }

  private static func operands(of command: Command, at place: String) -> [String] {
    command.operands.compactMap { operand in
      switch operand.values {
      case .session:
        line("__mero_consent_at \(place)", "-a '(\(CompletionScript.sessionCommand))'")
      case .command:
        line(
          "__mero_consent_at \(place)",
          "-a \(quoted(CompletionScript.helpWords.joined(separator: " ")))")
      case .words(let words):
        line("__mero_consent_at \(place)", "-a \(quoted(words.joined(separator: " ")))")
      case .file, .directory: line("__mero_consent_at \(place)", "-F")
      case .anything: nil
      }
    }
  }

  private static func line(_ condition: String, _ rest: String) -> String {
    "complete -c mero-consent -n \(quoted(condition)) \(rest)"
  }

  private static func specification(_ option: Option) -> String {
    let letter = option.letter.map { "-s \($0) " } ?? ""
    let value: String =
      switch (option.metavar, option.values) {
      case (nil, _): ""
      case (_, .anything): " -x"
      case (_, .file), (_, .directory): " -r -F"
      case (_, .session): " -x -a '(\(CompletionScript.sessionCommand))'"
      case (_, .command): " -x"
      case (_, .words(let words)): " -x -a \(quoted(words.joined(separator: " ")))"
      }
    return "\(letter)-l \(option.name)\(value) -d \(quoted(option.help))"
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
