import EventLoop

/// A command line that was understood.
struct ParsedArguments: Sendable {
  let command: Command
  private let given: [(name: String, value: String?)]
  /// Byte for byte.
  let rawOperands: [[UInt8]]

  init(_ command: Command, _ given: [(name: String, value: String?)], _ operands: [[UInt8]]) {
    self.command = command
    self.given = given
    rawOperands = operands
  }

  func has(_ option: Option) -> Bool { given.contains { $0.name == option.name } }

  /// The last value that was given.
  func value(_ option: Option) -> String? { given.last { $0.name == option.name }?.value }

  /// All of them, in order.
  func values(_ option: Option) -> [String] {
    given.filter { $0.name == option.name }.compactMap(\.value)
  }

  /// The operand at `index`, where there is one.
  ///
  /// - Throws: where it is no UTF-8.
  func operand(_ index: Int) throws(CommandFailure) -> String? {
    guard rawOperands.indices.contains(index) else { return nil }
    guard let text = String(validating: rawOperands[index], as: UTF8.self) else {
      throw .usage("an argument is not UTF-8")
    }
    return text
  }

  /// The operand at `index`, which the command's table says is there.
  func requiredOperand(_ index: Int) throws(CommandFailure) -> String {
    guard let text = try operand(index) else { throw .usage("an argument is missing") }
    return text
  }

  /// Every option that was given, with its name in the table: for commands whose options are
  /// made from something else.
  var all: [(name: String, value: String?)] { given }
}
