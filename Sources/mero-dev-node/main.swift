import DevelopmentNode
import EventLoop
import Glibc

/// Says what is wrong with the command line, and exits with EX_USAGE.
func refuse(_ reason: String) -> Never {
  NodeProgram.say(reason)
  exit(64)
}

let known = NodeOptions.Name.allCases.map { ProgramArguments.Known($0.rawValue, takesValue: true) }
var options = NodeOptions()
do {
  let arguments = try ProgramArguments(
    known + [.init("help", takesValue: false), .init("version", takesValue: false)])
  for (name, value) in arguments.options {
    switch (name, NodeOptions.Name(rawValue: name), value) {
    case (_, let option?, let value?):
      do { try options.set(option, to: value) } catch { refuse("--\(name) \(error.reason)") }
    case ("version", _, _):
      print("mero-dev-node 0.1.0")
      exit(0)
    default:
      print(HelpText.text, terminator: "")
      exit(0)
    }
  }
  guard arguments.operands.isEmpty else { refuse("there are no arguments, only options") }
} catch {
  switch error {
  case .noText(let option): refuse("--\(option) is no text")
  case .told, .unknown, .valueMissing, .valueUnwanted: exit(64)
  }
}
exit(NodeProgram.run(options))
