import DevelopmentNode
import Testing

@Suite struct NodeOptionsTests {
  @Test(arguments: [
    (NodeOptions.Name.port, "0"), (.port, "65535"), (.callback, "http://127.0.0.1:17463/return"),
    (.callback, "mero-consent:/return"), (.ttl, "600"), (.ttl, "0.001"), (.ttl, "31622400"),
    (.prefix, ""), (.prefix, "/node-7"), (.prefix, "/a/b~c"), (.package, "com.example.notes"),
  ])
  func takes(_ name: NodeOptions.Name, _ value: String) throws {
    var options = NodeOptions()
    try options.set(name, to: value)
  }

  @Test(arguments: [
    (NodeOptions.Name.port, ""), (.port, "-1"), (.port, "65536"), (.port, "http"),
    (.callback, "https://notes.example/"), (.callback, ""), (.ttl, "0"), (.ttl, "-5"),
    (.ttl, "nan"), (.ttl, "inf"), (.ttl, "31622401"), (.ttl, "soon"), (.prefix, "node-7"),
    (.prefix, "/"), (.prefix, "/a/"), (.prefix, "/a//b"), (.prefix, "/../a"), (.prefix, "/a%2fb"),
    (.prefix, "/é"), (.package, ""), (.package, "a b"), (.package, #"a"b"#),
  ])
  func refuses(_ name: NodeOptions.Name, _ value: String) {
    var options = NodeOptions()
    #expect(throws: NodeOptions.Refused.self) { try options.set(name, to: value) }
    #expect(options == NodeOptions())
  }

  @Test func aLifetimeIsKeptToTheMillisecond() throws {
    var options = NodeOptions()
    try options.set(.ttl, to: "1.25")
    #expect(options.settings.requestLifetime == .milliseconds(1250))
  }

  @Test func helpNamesEveryOptionControlAndMisbehaviour() {
    let text = HelpText.text
    for name in NodeOptions.Name.allCases { #expect(text.contains("--\(name.rawValue) ")) }
    for control in ControlTable.all { #expect(text.contains("\(control.method) \(control.path)")) }
    for misbehaviour in Misbehaviour.allCases {
      #expect(text.contains("  \(misbehaviour.rawValue) "))
    }
    for line in text.split(separator: "\n") { #expect(line.utf8.count <= 100, "\(line)") }
  }
}
