extension ParsedArguments {
  /// A command to be typed again, for the same daemon.
  ///
  /// - Parameters:
  ///   - options: besides `--socket`, those that were given and have to be said again.
  ///   - keepsSocket: whether the command speaks with the daemon.
  func again(
    _ command: String, _ options: Option..., words: [String], keepsSocket: Bool = true
  ) -> String {
    let kept = (options + (keepsSocket ? [.socket] : [])).flatMap { option in
      value(option).map { ["--\(option.name)", Self.quoted($0)] } ?? []
    }
    return (["mero-consent", command] + kept + words.map(Self.quoted)).joined(separator: " ")
  }

  /// Starts a daemon by hand, on the socket that was named.
  var daemonCommand: String {
    let socket = value(.socket).map { " --socket " + Self.quoted($0) } ?? ""
    return "mero-consentd\(socket) &"
  }

  func again(_ command: String, _ option: Option, _ words: String...) -> String {
    again(command, option, words: words)
  }

  /// As a shell takes it for one word.
  private static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
          UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "@"):
          true
        default: false
        }
      }
    return isPlain
      ? word
      : "'"
        + word.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "'\\''") + "'"
  }
}
