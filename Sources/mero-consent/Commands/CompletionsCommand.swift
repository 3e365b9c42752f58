/// `mero-consent completions SHELL`.
enum CompletionsCommand {
  private static let shells = ["bash", "zsh", "fish"]

  static let command = Command(
    path: ["completions"], group: .care, summary: "print a shell's completions",
    description: [
      "The package installs them. By hand: “mero-consent completions bash >"
        + "~/.local/share/bash-completion/completions/mero-consent”, “mero-consent completions zsh "
        + ">~/.zfunc/_mero-consent” with ~/.zfunc in $fpath, or “mero-consent completions fish "
        + ">~/.config/fish/completions/mero-consent.fish”."
    ],
    operands: [.init(metavar: "SHELL", help: "bash, zsh or fish", values: .words(shells))],
    run: { (arguments, terminal) throws(CommandFailure) in
      let shell = try arguments.requiredOperand(0)
      switch shell {
      case "bash": try terminal.raw(BashCompletion.script)
      case "zsh": try terminal.raw(ZshCompletion.script)
      case "fish": try terminal.raw(FishCompletion.script)
      case CompletionScript.sessionWord:
        try terminal.raw(try SessionStore().entries().map { $0.name + "\n" }.joined())
      default:
        let near = Nearest.word(to: shell, of: shells)
        throw .usage(
          "there are no completions for “\(shell)”: bash, zsh or fish",
          hint: near.map { "Did you mean \($0)?" })
      }
      return .done
    })
}
