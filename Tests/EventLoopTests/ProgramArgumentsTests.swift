import EventLoop
import Testing

@Suite struct ProgramArgumentsTests {
  /// getopt_long keeps its place in global variables.
  @Test func commandLinesReadAtTheSameMomentDoNotDisturbEachOther() async throws {
    let known = [
      ProgramArguments.Known("name", letter: "n", takesValue: true),
      ProgramArguments.Known("quiet", letter: "q", takesValue: false),
    ]
    let lines = await withTaskGroup(of: [String].self) { group in
      for number in 0..<400 {
        group.addTask {
          let words = ["one", "--name", "value\(number)", "two", "-q", "three\(number)"]
          guard let read = try? ProgramArguments(words.map { Array($0.utf8) }, known) else {
            return ["\(number) refused"]
          }
          let options = read.options.map { "\($0.name)=\($0.value ?? "")" }
          let operands = read.operands.map { String(decoding: $0, as: UTF8.self) }
          let right = ["name=value\(number)", "quiet=", "one", "two", "three\(number)"]
          return options + operands == right ? [] : options + operands
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(lines == [])
  }
}
