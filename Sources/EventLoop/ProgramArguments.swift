import CLinux
import Glibc
import Synchronization

/// A program's command line, read with getopt_long(3), in any order.
package struct ProgramArguments: Sendable {
  /// An option that the program knows.
  package struct Known: Sendable {
    package let name: String
    /// One ASCII letter, for `-o`.
    package let letter: Character?
    package let takesValue: Bool
    /// Other spellings; what is read has `name`.
    package let aliases: [String]

    package init(
      _ name: String, letter: Character? = nil, takesValue: Bool, aliases: [String] = []
    ) {
      self.name = name
      self.letter = letter
      self.takesValue = takesValue
      self.aliases = aliases
    }
  }

  package enum Refused: Error, Equatable, Sendable {
    /// getopt_long has already said on stderr what is wrong.
    case told
    /// The value of this option is no UTF-8.
    case noText(option: String)
    /// No such option, or the beginning of several; as it was written, `--colour`.
    case unknown(option: String)
    case valueMissing(option: String)
    /// A value after `=` for an option that takes none.
    case valueUnwanted(option: String)
  }

  /// In the order of the command line; a value where the option takes one.
  package private(set) var options: [(name: String, value: String?)] = []
  /// What is no option, byte for byte: a URL may have been damaged on its way here.
  package private(set) var operands: [[UInt8]] = []

  /// Reads the process's own arguments, and says what is wrong with them.
  package init(_ known: [Known]) throws(Refused) {
    try Self.turn.withLock { _ throws(Refused) in
      try read(CommandLine.argc, CommandLine.unsafeArgv, known, mode: "")
    }
  }

  /// Reads `words`, which do not begin with the program's name, and says nothing.
  ///
  /// - Parameter stopsAtOperand: the first word that is no option and all behind it are operands.
  package init(
    _ words: [[UInt8]], _ known: [Known], stopsAtOperand: Bool = false
  ) throws(Refused) {
    // An argument cannot have a NUL inside.
    let texts = [[]] + words.map { $0.prefix { $0 != 0 } }
    let arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(
      capacity: texts.count + 1)
    for (index, text) in texts.enumerated() {
      arguments[index] = strndup(text.map { CChar(bitPattern: $0) }, text.count)
    }
    arguments[texts.count] = nil
    defer {
      for index in texts.indices { free(arguments[index]) }
      arguments.deallocate()
    }
    try Self.turn.withLock { _ throws(Refused) in
      try read(CInt(texts.count), arguments, known, mode: stopsAtOperand ? "+:" : ":")
    }
  }

  /// getopt_long has global state: one thread at a time reads with it.
  private static let turn = Mutex<Void>(())

  /// The numbers of options begin above those of letters, so that `optopt` tells them apart.
  private static let firstNumber = 256

  private mutating func read(
    _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
    _ known: [Known], mode: String
  ) throws(Refused) {
    let isQuiet = !mode.isEmpty
    var letters = mode
    var byNumber: [Int: Known] = [:]
    var table: [option] = []
    for (index, known) in known.enumerated() {
      let number = index + Self.firstNumber
      // Of one number, so that their common beginning is not ambiguous.
      for name in [known.name] + known.aliases {
        table.append(
          option(
            name: strdup(name), has_arg: known.takesValue ? required_argument : no_argument,
            flag: nil, val: CInt(number)))
      }
      byNumber[number] = known
      if let letter = known.letter, let code = letter.asciiValue {
        letters += known.takesValue ? "\(letter):" : "\(letter)"
        byNumber[Int(code)] = known
      }
    }
    defer { for entry in table { free(UnsafeMutablePointer(mutating: entry.name)) } }
    // The table ends with an entry of zeros.
    table.append(option())
    clinux_getopt_begin(isQuiet ? 0 : 1)
    while true {
      let number = Int(getopt_long(count, arguments, letters, table, nil))
      if number == -1 { break }
      guard let option = byNumber[number] else {
        guard isQuiet else { throw .told }
        throw Self.refusal(number, byNumber, arguments[Int(clinux_optind()) - 1])
      }
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

  /// getopt(3): "If a required argument is missing, `:` is returned"; `optopt` has the option
  /// then, and the one that takes no value. It is 0 for a long option that is not known.
  private static func refusal(
    _ answer: Int, _ byNumber: [Int: Known], _ word: UnsafeMutablePointer<CChar>?
  ) -> Refused {
    let number = Int(clinux_optopt())
    if let option = byNumber[number] {
      return answer == Int(UInt8(ascii: ":"))
        ? .valueMissing(option: option.name) : .valueUnwanted(option: option.name)
    }
    if number > 0, number < firstNumber {
      return .unknown(option: "-\(Character(UnicodeScalar(UInt8(number))))")
    }
    let text = word.map { String(cString: $0) } ?? ""
    return .unknown(option: String(text.prefix { $0 != "=" }))
  }
}
