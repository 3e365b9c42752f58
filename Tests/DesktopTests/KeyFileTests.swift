import Testing

@testable import Desktop

@Suite struct KeyFileTests {
  static let sample = """
    # a comment
    [Added Associations]
    a/b=x.desktop;

    [Default Applications]
    a/b=y.desktop;z.desktop
    a/bc=w.desktop

    [Other]
    a/b=v.desktop

    """

  func file(_ text: String) -> KeyFile { KeyFile(Array(text.utf8)) }
  func text(_ file: KeyFile) -> String { String(decoding: file.bytes, as: UTF8.self) }

  @Test(arguments: ["", "\n", "\n\n", "a", "a\n", "[x]\nk=v", "\r\n[x]\r\n", sample])
  func keepsEveryByte(text: String) { #expect(self.text(file(text)) == text) }

  @Test func keepsBytesThatAreNoText() {
    let bytes: [UInt8] = [0xff, 0, 0x0a, 0xfe]
    #expect(KeyFile(bytes).bytes == bytes)
  }

  @Test func readsAValueOfItsSection() {
    let file = file(Self.sample)
    #expect(file.value(of: "a/b", in: "Default Applications") == "y.desktop;z.desktop")
    #expect(file.value(of: "a/bc", in: "Default Applications") == "w.desktop")
    #expect(file.value(of: "a/b", in: "Added Associations") == "x.desktop;")
    #expect(file.value(of: "a", in: "Other") == nil)
    #expect(file.value(of: "a/b", in: "None") == nil)
  }

  @Test(arguments: ["k = v w", "k\t=\tv w", "k= v w", "k =v w", "k  = \t v w"])
  func blanksAroundTheEqualsSignCountForNothing(_ line: String) {
    var file = file("[x]\nk k=1\nkk=2\n=3\n\(line)\n[y]\nk=4\n")
    #expect(file.value(of: "k", in: "x") == "v w")
    file.replaceValue(of: "k", in: "x", with: "u")
    #expect(file.value(of: "k", in: "x") == "u")
    #expect(text(file).contains("\n" + line.replacing("v w", with: "u") + "\n[y]\n"))
    file.removeValue(of: "k", in: "x")
    #expect(text(file) == "[x]\nk k=1\nkk=2\n=3\n[y]\nk=4\n")
  }

  @Test func anEmptyValueIsOne() {
    #expect(file("[x]\nk=\n").value(of: "k", in: "x") == "")
    #expect(file("[x]\nk = \n").value(of: "k", in: "x") == "")
    #expect(file("[x]\nk\n").value(of: "k", in: "x") == nil)
  }

  /// What a desktop's own reader takes.
  @Test func ofSeveralTheLastCounts() {
    var file = file("[x]\nk = a\nk=b\n")
    #expect(file.value(of: "k", in: "x") == "b")
    file.removeValue(of: "k", in: "x")
    #expect(text(file) == "[x]\nk = a\n")
  }

  @Test func changesOneLine() {
    var file = file(Self.sample)
    file.replaceValue(of: "a/b", in: "Default Applications", with: "q.desktop")
    #expect(
      text(file)
        == Self.sample.replacing("a/b=y.desktop;z.desktop", with: "a/b=q.desktop"))
    file.removeValue(of: "a/b", in: "Default Applications")
    #expect(text(file) == Self.sample.replacing("a/b=y.desktop;z.desktop\n", with: ""))
    file.removeValue(of: "a/b", in: "Default Applications")
    #expect(text(file) == Self.sample.replacing("a/b=y.desktop;z.desktop\n", with: ""))
  }

  @Test func removesASectionThatIsEmptyNow() {
    var last = file("[x]\nk=v\n\n[y]\nk=v\n")
    last.removeSection(ifEmpty: "y")
    #expect(text(last) == "[x]\nk=v\n\n[y]\nk=v\n")
    last.removeValue(of: "k", in: "y")
    last.removeSection(ifEmpty: "y")
    #expect(text(last) == "[x]\nk=v\n")
    var only = file("\n[y]\nk=v\n")
    only.removeValue(of: "k", in: "y")
    only.removeSection(ifEmpty: "y")
    #expect(text(only) == "")
    var spaced = file("[x]\nk=v\n\n[y]\nk=v\n\n")
    spaced.removeValue(of: "k", in: "y")
    spaced.removeSection(ifEmpty: "y")
    #expect(text(spaced) == "[x]\nk=v\n\n")
  }
}
