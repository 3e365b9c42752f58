import Testing

@testable import Desktop

@Suite struct SchemeNameTests {
  @Test(arguments: [
    "a", "com.example.notes", "x-y+z.1", "notes2", String(repeating: "a", count: 64),
  ])
  func takesWhatRFC3986Allows(name: String) throws {
    #expect(try SchemeName(name).text == name)
    #expect(try SchemeName(name.uppercased()) == SchemeName(name))
  }

  @Test(arguments: [
    "", "1a", "-a", ".a", "a b", "a/b", "a:b", "a;b", "a_b", "é", "aé", "a\n", "a\0",
    String(repeating: "a", count: 65),
  ])
  func refusesWhatItDoesNot(name: String) {
    #expect(throws: SchemeName.Refusal.malformed) { try SchemeName(name) }
  }

  @Test(arguments: ["http", "HTTPS", "File", "mailto", "tel", "javascript", "data", "about"])
  func refusesWhatIsNotAnApps(name: String) {
    #expect(throws: SchemeName.Refusal.reserved) { try SchemeName(name) }
  }

  @Test func namesItsEntryAfterItself() throws {
    let scheme = try SchemeName("Com.Example")
    #expect(SchemeEntry.id(of: scheme) == "mero-consent-com.example.desktop")
    #expect(scheme.type == "x-scheme-handler/com.example")
  }

  @Test func writesAnEntryThatEveryLauncherUnderstands() throws {
    let entry = SchemeEntry(scheme: try SchemeName("notes"), program: "/opt/x/mero-consent")
    let file = KeyFile(Array(entry.text.utf8))
    #expect(file.value(of: "Exec", in: "Desktop Entry") == "/opt/x/mero-consent handle %u")
    #expect(file.value(of: "MimeType", in: "Desktop Entry") == "x-scheme-handler/notes;")
    #expect(file.value(of: "NoDisplay", in: "Desktop Entry") == "true")
  }

  @Test func remembersWhatWasBefore() throws {
    var entry = SchemeEntry(scheme: try SchemeName("notes"), program: "/x")
    entry.previous = "a.desktop;b.desktop;"
    entry.madeSection = true
    var read = SchemeEntry(scheme: entry.scheme, program: "/x")
    read.takeMemory(from: KeyFile(Array(entry.text.utf8)))
    #expect(read == entry)
  }

  @Test(arguments: ["mero-consent", "/a b", "/a\"", "/a%", "/a$", "/é", "/a\\", "/a'", "/a&"])
  func refusesAProgramThatNeedsQuotes(path: String) {
    #expect(SchemeEntry.usable(path) == nil)
  }
}
