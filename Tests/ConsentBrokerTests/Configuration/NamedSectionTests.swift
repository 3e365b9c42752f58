import FoundationEssentials
import MeroConsent
import Testing

@testable import ConsentBroker

private func parse(_ texts: String...) -> (configuration: Configuration, faults: [String]) {
  var reading = ConfigurationReading()
  for (text, name) in zip(texts, ["f", "g", "h"]) {
    ConfigurationFile.parse(Array(text.utf8), of: name, into: &reading)
  }
  let faults = reading.finish()
  return (reading.configuration, faults)
}

private func hex(_ byte: String, _ count: Int = 48) -> String {
  String(repeating: byte, count: count)
}

private let release = """
  [Release 2.3.87]
  MRTD=\(hex("d0"))
  RTMR0=\(hex("A0"))
  RTMR1=\(hex("a1"))
  RTMR2=\(hex("a2"))
  RTMR3=\(hex("a3"))

  """

private let session = """
  [Session work]
  Node=https://Node.example/node-7/
  Package=com.example.notes
  TokenFile=/home/x/token

  """

/// `[Release NAME]` and `[Session NAME]`.
@Suite struct NamedSectionTests {
  @Test func aReleaseIsItsRegisters() throws {
    let (configuration, faults) = parse(release)
    #expect(faults == [])
    let found = try #require(configuration.releases.first)
    #expect(found.name == "2.3.87")
    // Hexadecimal digits in either case are the same registers.
    #expect(
      found.image
        == NodeMeasurements(
          mrtd: hex("d0"), rtmr0: hex("a0"), rtmr1: hex("a1"), rtmr2: hex("a2"), rtmr3: hex("a3"),
          name: "2.3.87", tcb: ["UpToDate"]))
  }

  @Test func aReleaseMayAllowOtherStatusesAndHaveALabel() throws {
    let (configuration, faults) = parse(
      release + "Image=2.3.87 locked-read-only\nAllowedTCB=uptodate, OutOfDate\n"
        + "AllowedTCB=SWHardeningNeeded")
    #expect(faults == [])
    let image = try #require(configuration.releases.first?.image)
    #expect(image.name == "2.3.87 locked-read-only")
    #expect(image.tcb == ["UpToDate", "OutOfDate", "SWHardeningNeeded"])
  }

  @Test func aSessionTakesEveryKey() throws {
    let (configuration, faults) = parse(
      release + session
        + """
        RefreshTokenFile=refresh
        Account=\(hex("ab", 32))
        Origin=https://notes.example https://a.example
        Origin=https://b.example
        ReturnTo=https://notes.example/1.2.0/?native-consent=1
        Release=2.3.87
        """)
    #expect(faults == [])
    let found = try #require(configuration.sessions.first)
    #expect(found.name == "work")
    #expect(found.node.url == "https://node.example/node-7")
    #expect(found.package == "com.example.notes")
    #expect(found.account == hex("ab", 32))
    #expect(found.token.origin == .file("/home/x/token"))
    #expect(found.refreshToken?.origin == .credential("refresh"))
    #expect(found.refreshToken?.place.line == 11)
    #expect(found.origins == ["https://notes.example", "https://a.example", "https://b.example"])
    #expect(found.returnTo == "https://notes.example/1.2.0/?native-consent=1")
    #expect(found.trust == .releases(["2.3.87"]))
    #expect(configuration.filesOutside == ["/home/x/token"])
  }

  @Test(
    arguments: [
      ("TransportKey=\(hex("0f", 32))", .node(.transportKey(hex("0f", 32)))),
      ("Trust=releases", .releases(nil)), ("Release=2.3.87", .releases(["2.3.87"])),
    ] as [(String, SessionTrust)])
  func aSessionTrustsInOneWay(_ line: String, _ trust: SessionTrust) {
    let (configuration, faults) = parse(release + session + line)
    #expect(faults == [])
    #expect(configuration.sessions.first?.trust == trust)
  }

  @Test func developmentIsForThisMachine() {
    let local = session.replacing("https://Node.example", with: "http://127.0.0.1:4000")
    #expect(
      parse(local + "Development=yes").configuration.sessions.first?.trust
        == .node(.development))
    #expect(
      parse(session + "Development=yes").faults == [
        "f:1: [Session work] has Development for a node that is not on this machine"
      ])
  }

  @Test func sectionsOfSeveralFilesAddUp() {
    let (configuration, faults) = parse(
      session + "Trust=releases", release, release.replacing("2.3.87", with: "2.3.86"))
    #expect(faults == [])
    #expect(configuration.releases.map(\.name) == ["2.3.86", "2.3.87"])
    #expect(configuration.sessions.map(\.name) == ["work"])
  }

  @Test func aLaterFileOverrulesAKey() {
    let (configuration, faults) = parse("[Daemon]\nLogLevel=debug", "[Daemon]\nLogLevel=error")
    #expect(faults == [])
    #expect(configuration.logLevel == .error)
  }

  static let faulty: [ConfigurationCase] = [
    ConfigurationCase(
      "[Release a/b]\nMRTD=00",
      "f:1: the section [Release a/b] needs a name of at most 64 letters, digits, “.”, “_” and "
        + "“-”, beginning with a letter or a digit"),
    ConfigurationCase(
      "[Session]\n",
      "f:1: the section [Session] needs a name of at most 64 letters, digits, “.”, “_” and “-”, "
        + "beginning with a letter or a digit"),
    ConfigurationCase(
      release + release,
      "f:7: the section [Release 2.3.87] is there a second time, first in f on "
        + "line 1"),
    ConfigurationCase(
      release.replacing("RTMR2", with: "#RTMR2"),
      "f:1: [Release 2.3.87] has no RTMR2: all five registers are needed"),
    ConfigurationCase(
      release + "RTMR3=00", "f:7: RTMR3 is set a second time, first on line 6"),
    ConfigurationCase(
      release.replacing("=\(hex("a3"))", with: "=\(hex("a3").dropLast())"),
      "f:1: [Release 2.3.87] has no RTMR3: all five registers are needed",
      "f:6: the value of RTMR3 is not 96 hexadecimal digits"),
    ConfigurationCase(release + "rtmr4=0", "f:7: unknown key rtmr4 of a [Release NAME]"),
    ConfigurationCase(
      release + "allowedtcb=x",
      "f:7: unknown key allowedtcb of a [Release NAME]: AllowedTCB is meant?"),
    ConfigurationCase(
      release + "AllowedTCB=Revoked",
      "f:7: the value of AllowedTCB has a status that is none of UpToDate, SWHardeningNeeded, "
        + "ConfigurationNeeded, ConfigurationAndSWHardeningNeeded, OutOfDate, "
        + "OutOfDateConfigurationNeeded, TDRelaunchAdvised, TDRelaunchAdvisedConfigurationNeeded"),
    ConfigurationCase(
      session,
      "f:1: [Session work] has none of Trust, Release, TransportKey and Development; it needs "
        + "exactly one"),
    ConfigurationCase(
      session + "Trust=releases\nTransportKey=\(hex("0f", 32))",
      "f:1: [Session work] has TransportKey and Trust of Trust, Release, TransportKey and "
        + "Development; it needs exactly one"),
    ConfigurationCase(
      session + "Trust=releases",
      "f:1: [Session work] trusts releases, and there is no [Release NAME]"),
    ConfigurationCase(
      release + session + "Release=2.3.86",
      "f:7: [Session work] trusts the release 2.3.86, and there is no [Release 2.3.86]"),
    ConfigurationCase(
      "[Session w]\nPackage=a", "f:1: [Session w] has no Node"),
    ConfigurationCase(
      session + "Node=http://node.example",
      "f:1: [Session work] has none of Trust, Release, TransportKey and Development; it needs "
        + "exactly one", "f:5: Node is set a second time, first on line 2"),
    ConfigurationCase(
      "[Session w]\nNode=http://node.example", "f:1: [Session w] has no Node",
      "f:2: the value of Node is no node's address: https, or http on this machine, without a "
        + "query"),
    ConfigurationCase(
      release + session + "Trust=releases\nTokenFile=a",
      "f:12: TokenFile is set a second time, first on line 10"),
    ConfigurationCase(
      "[Session w]\nTokenFile=a/b", "f:1: [Session w] has no Node",
      "f:2: the value of TokenFile is neither an absolute path nor the name of a credential"),
    ConfigurationCase(
      session + "Development=true",
      "f:1: [Session work] has none of Trust, Release, TransportKey "
        + "and Development; it needs exactly one", "f:5: the value of Development can only be “yes”"
    ),
    ConfigurationCase(
      release + session + "Trust=releases\nOrigin=http://notes.example",
      "f:12: the value of Origin is no list of https origins (https://host), 64 at most"),
    ConfigurationCase(
      "[Release a]\nwhat",
      "f:1: [Release a] has no MRTD: all five registers are "
        + "needed", "f:2: is neither a section nor a key with a value"),
  ]

  @Test(arguments: faulty) func faultsNameTheirLine(_ row: ConfigurationCase) {
    #expect(parse(row.text).faults == row.faults)
  }

  @Test func aReturnToHasToBeOnAnOrigin() {
    let faults = parse(
      release + session
        + "Trust=releases\nOrigin=https://a.example\nReturnTo=https://b.example/"
    ).faults
    #expect(faults.count == 1)
    #expect(
      faults.first?.hasPrefix("f:7: [Session work] has a ReturnTo that is not allowed") == true)
  }

  @Test func aFaultOfADropInNamesIt() {
    #expect(
      parse("[Daemon]\nLogLevel=info", release + "x=1").faults == [
        "g:7: unknown key x of a [Release NAME]"
      ])
    #expect(
      parse(release, release).faults == [
        "g:1: the section [Release 2.3.87] is there a second time, first in f on line 1"
      ])
  }

  @Test func aNameHasTwoEdges() {
    let longest = hex("n", SectionText.longestName)
    for (name, isTaken) in [(longest, true), (longest + "n", false), ("a", true), (".a", false)] {
      let faults = parse(release.replacing("2.3.87", with: name)).faults
      #expect(faults.isEmpty == isTaken)
    }
  }

  @Test func thereAreOnlySoMany() {
    let many = (0..<SectionDrafts<TrustedReleaseDraft>.most).map {
      release.replacing("2.3.87", with: "r\($0)")
    }.joined()
    #expect(parse(many).faults == [])
    #expect(parse(many, release).faults.count == 1)
  }
}

/// The main file and its drop-ins on the disk.
@Suite struct ConfigurationFilesTests {
  @Test func dropInsAreReadInTheOrderOfTheirNames() throws {
    let directory = try TemporaryDirectory()
    let main = directory.path + "/mero-consentd.conf"
    try FileManager.default.createDirectory(
      atPath: main + ".d", withIntermediateDirectories: false)
    try write("[Daemon]\nLogLevel=debug", to: main)
    try write("[Daemon]\nLogLevel=error", to: main + ".d/20-last.conf")
    try write("[Daemon]\nLogLevel=info", to: main + ".d/10-first.conf")
    try write("[Daemon]\nLogLevel=loud", to: main + ".d/note.txt")
    try write("[Daemon]\nLogLevel=loud", to: main + ".d/.hidden.conf")
    let (configuration, faults) = ConfigurationFiles(main: main, isOptional: true).read()
    #expect(faults == [])
    #expect(configuration.logLevel == .error)
  }

  @Test func onlyTheUsualFileMayBeMissingAndItsDropInsCount() throws {
    let directory = try TemporaryDirectory()
    let main = directory.path + "/mero-consentd.conf"
    #expect(ConfigurationFiles(main: main, isOptional: true).read().faults == [])
    #expect(ConfigurationFiles(main: main, isOptional: false).read().faults.count == 1)
    try FileManager.default.createDirectory(
      atPath: main + ".d", withIntermediateDirectories: false)
    try write(release, to: main + ".d/a.conf")
    let (configuration, faults) = ConfigurationFiles(main: main, isOptional: true).read()
    #expect(faults == [])
    #expect(configuration.releases.map(\.name) == ["2.3.87"])
  }

  @Test func aDropInThatCannotBeReadIsAFault() throws {
    let directory = try TemporaryDirectory()
    let main = directory.path + "/mero-consentd.conf"
    try FileManager.default.createDirectory(
      atPath: main + ".d/a.conf", withIntermediateDirectories: true)
    let faults = ConfigurationFiles(main: main, isOptional: true).read().faults
    #expect(faults.count == 1)
    #expect(faults.first?.contains("a.conf: cannot be read") == true)
  }
}
