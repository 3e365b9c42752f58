import EventLoop
import Testing

/// Every input that fuzzing begins with or has kept, run once more: what was found stays found.
@Suite struct CorpusTests {
  private static let folder =
    "\(#filePath)".split(separator: "/").dropLast(2)
    .reduce("") { "\($0)/\($1)" } + "/Corpus"

  @Test(arguments: Subject.all.map(\.name)) func everyKeptInputHolds(_ name: String) throws {
    let subject = try #require(Subject.all.first { $0.name == name })
    let inputs = try Files.names(in: "\(Self.folder)/\(name)").sorted()
    #expect(!inputs.isEmpty, "there is no corpus")
    for input in inputs {
      let bytes = try Files.read("\(Self.folder)/\(name)/\(input)", limit: 1 << 20)
      #expect(throws: Never.self, "\(name)/\(input)") { try subject.run(bytes) }
    }
  }

  @Test(arguments: Subject.all.map(\.name)) func everyFirstInputHolds(_ name: String) throws {
    for seed in try #require(Subject.all.first { $0.name == name }).seeds {
      #expect(throws: Never.self, "\(String(decoding: seed, as: UTF8.self))") {
        try #require(Subject.all.first { $0.name == name }).run(seed)
      }
    }
  }

  @Test func everyCorpusHasASubject() throws {
    #expect(try Files.names(in: Self.folder).sorted() == Subject.all.map(\.name).sorted())
  }

  /// An empty input is what every run of the fuzzer begins with.
  @Test(arguments: Subject.all.map(\.name)) func nothingAtAllHolds(_ name: String) throws {
    try #require(Subject.all.first { $0.name == name }).run([])
  }
}
