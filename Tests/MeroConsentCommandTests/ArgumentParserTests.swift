import EventLoop
import Testing

@testable import mero_consent

@Suite(.serialized) struct ArgumentParserTests {
  @Test func optionsMayStandAnywhere() throws {
    for words in [
      ["--json", "result", "rq", "--session", "x"], ["-s", "x", "result", "--json", "rq"],
      ["result", "--session=x", "rq", "--js"],
    ] {
      let arguments = try parsed(words)
      #expect(arguments.has(.json))
      #expect(arguments.value(.session) == "x")
      let first = try arguments.operand(0)
      #expect(first == "rq")
    }
  }

  @Test func whatFollowsTwoDashesIsNoOption() throws {
    let arguments = try parsed(["result", "--", "--json"])
    #expect(!arguments.has(.json))
    let first = try arguments.operand(0)
    #expect(first == "--json")
  }

  @Test func operandsAreKeptByteForByte() throws {
    let words: [[UInt8]] = [Array("return".utf8), [0xff, 0x25, 0x26]]
    guard case .run(let arguments) = try ArgumentParser.parse(words) else {
      Issue.record("no command")
      return
    }
    #expect(arguments.rawOperands == [[0xff, 0x25, 0x26]])
    #expect(throws: CommandFailure.self) { _ = try arguments.operand(0) }
  }

  @Test(arguments: [
    (["--version"], "version"), (["--json", "--version"], "version"), ([], "help:"),
    (["--help"], "help:"), (["status", "-h"], "help:status"),
    (["request", "--help"], "help:request"),
    (["request", "create-org", "-h"], "help:request createOrg"),
  ])
  func helpAndVersionNeedNothingElse(_ words: [String], _ expected: String) throws {
    let outcome = try ArgumentParser.parse(words.map { Array($0.utf8) })
    switch outcome {
    case .version: #expect(expected == "version")
    case .help(let path): #expect(expected == "help:" + path.joined(separator: " "))
    case .run: Issue.record("a command runs")
    }
  }

  @Test(arguments: [
    (["request", "acceptInvite", "--token", "secret"], "every program of this machine"),
    (["request", "createOrg", "--nam"], "needs a value"),
    (["request", "createOrg", "--named", "x"], "--named"),
    (["result", "a", "b"], "one argument too many"),
  ])
  func refuses(_ words: [String], _ complaint: String) {
    let error = #expect(throws: CommandFailure.self) { try parsed(words) }
    #expect(error?.exit == .usage)
    #expect(error?.message.contains(complaint) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("secret") == false)
  }

  /// What `help` shows is what can be typed.
  @Test func theTableIsSound() {
    var names: Set<String> = []
    for command in CommandTable.all {
      #expect(names.insert(command.name).inserted, "\(command.name) is there twice")
      #expect(command.summary.count < 60 && command.summary.last != ".", "\(command.name)")
      #expect(Set(command.exitCodes.map(\.rawValue)).count == command.exitCodes.count)
      let options = command.allOptions.flatMap { [$0.name] + $0.aliases }
      #expect(Set(options).count == options.count, "\(command.name) has an option twice")
      #expect(command.exitCodes.contains(.usage), "\(command.name)")
      let optional = command.operands.drop { !$0.isOptional }
      #expect(!optional.contains { !$0.isOptional }, "\(command.name)")
    }
  }
}
