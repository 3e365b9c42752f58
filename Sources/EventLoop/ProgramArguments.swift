import CLinux
import Glibc

/// A program's command line, read with getopt_long(3): long options only, in any order.
package struct ProgramArguments: Sendable {
  /// An option that the program knows.
  package struct Known: Sendable {
    package let name: String
    package let takesValue: Bool

    package init(_ name: String, takesValue: Bool) {
      self.name = name
      self.takesValue = takesValue
    }
  }

  package enum Refused: Error, Equatable, Sendable {
    /// getopt_long has already said on stderr what is wrong.
    case told
    /// The value of this option is no UTF-8.
    case noText(option: String)
  }

  /// In the order of the command line; a value where the option takes one.
  package private(set) var options: [(name: String, value: String?)] = []
  /// What is no option, byte for byte: a URL may have been damaged on its way here.
  package private(set) var operands: [[UInt8]] = []

  /// Reads the process's own arguments. Called once, from `main`: getopt_long has global state.
  package init(_ known: [Known]) throws(Refused) {
    // The table ends with an entry of zeros; its names stay until the process ends.
    var table = known.enumerated().map { index, known in
      option(
        name: strdup(known.name), has_arg: known.takesValue ? required_argument : no_argument,
        flag: nil, val: CInt(index + 1))
    }
    table.append(option())
    let (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
    while true {
      let number = Int(getopt_long(count, arguments, "", table, nil))
      if number == -1 { break }
      guard (1...known.count).contains(number) else { throw .told }
      let option = known[number - 1]
      var value: String?
      if option.takesValue, let argument = clinux_optarg() {
        value = String(validatingCString: argument)
        if value == nil { throw .noText(option: option.name) }
      }
      options.append((option.name, value))
    }
    for index in Int(clinux_optind())..<Int(count) {
      guard let argument = arguments[index] else { break }
      operands.append(
        Array(UnsafeBufferPointer(start: argument, count: strlen(argument))).map(
          UInt8.init(bitPattern:)))
    }
  }
}
