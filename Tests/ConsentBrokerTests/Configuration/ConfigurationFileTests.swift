import FoundationEssentials
import Testing

@testable import ConsentBroker

private func parse(_ text: String) -> (configuration: Configuration, faults: [String]) {
  var reading = ConfigurationReading()
  ConfigurationFile.parse(Array(text.utf8), of: "f", into: &reading)
  let faults = reading.finish()
  return (reading.configuration, faults)
}

private func read(_ path: String) -> (configuration: Configuration, faults: [String]) {
  ConfigurationFiles(main: path, isOptional: false).read()
}

/// A text, and what the person is told of it; nothing where it is fine.
struct ConfigurationCase: Sendable, CustomTestStringConvertible {
  let text: String
  let faults: [String]
  var testDescription: String { text.debugDescription }

  init(_ text: String, _ faults: String...) {
    self.text = text
    self.faults = faults
  }
}

@Suite struct ConfigurationFileTests {
  @Test func everyKeyIsTaken() {
    let (configuration, faults) = parse(
      """
      \u{feff}; a comment
      [Daemon]
      Socket = /run/x/api.sock
      StateDirectory=/var/x ; a comment behind
      LogLevel=debug\r
      [Callback]
        CallbackPort=0
      [Sessions]
      Retention=90d
      SessionTimeout = 90min
      [Node]
      ConnectTimeout=7
      CallTimeout=45s
      """)
    #expect(faults == [])
    var expected = Configuration()
    expected.socket = "/run/x/api.sock"
    expected.stateDirectory = "/var/x"
    expected.logLevel = .debug
    expected.callbackPort = 0
    expected.retention = .days(90)
    expected.sessionTimeout = .minutes(90)
    expected.connectTimeout = .seconds(7)
    expected.callTimeout = .seconds(45)
    #expect(configuration == expected)
  }

  @Test(arguments: [
    ConfigurationCase(""),
    ConfigurationCase("[Daemon]\nColour=red", "f:2: unknown key Colour"),
    ConfigurationCase("[Daemon]\nloglevel=info", "f:2: unknown key loglevel: LogLevel is meant?"),
    ConfigurationCase(
      "[Demon]\nLogLevel=info",
      "f:1: unknown section [Demon]: there are [Daemon], [Callback], [Sessions], [Node], "
        + "[Desktop], [Release NAME], [Session NAME]"),
    ConfigurationCase("LogLevel=info", "f:1: LogLevel stands before the first section"),
    ConfigurationCase(
      "[Callback]\nLogLevel=info", "f:2: LogLevel belongs into the section [Daemon]"),
    ConfigurationCase(
      "[Daemon]\n\nLogLevel=loud\n",
      "f:3: the value of LogLevel is none of error, warning, info, debug"),
    ConfigurationCase(
      "[Daemon]\nLogLevel=info\nLogLevel=info",
      "f:3: LogLevel is set a second time, first on line 2"),
    ConfigurationCase("[Daemon]\nwhat is this", "f:2: is neither a section nor a key with a value"),
    ConfigurationCase(
      "[Daemon]\nSocket=api.sock", "f:2: the value of Socket is not an absolute path"),
    ConfigurationCase("[Daemon]\nSocket=\n", "f:2: the value of Socket is not an absolute path"),
    ConfigurationCase(
      "[Callback]\nCallbackPort=65536",
      "f:2: the value of CallbackPort is not a port: a number from 0 to 65535"),
    ConfigurationCase(
      "[Callback]\nCallbackPort=+80",
      "f:2: the value of CallbackPort is not a port: a number from 0 to 65535"),
    ConfigurationCase(
      "[Sessions]\nRetention=30y",
      "f:2: the value of Retention is not a time: a number with s, min, h or d"),
    ConfigurationCase(
      "[Sessions]\nRetention=59min",
      "f:2: the value of Retention has to be from 3600 to 315360000 seconds"),
    ConfigurationCase(
      "[Sessions]\nSessionTimeout=9999999999",
      "f:2: the value of SessionTimeout is not a time: a number with s, min, h or d"),
    ConfigurationCase("[Daemon]\nLogLevel=in\u{1b}fo", "f:2: is not a line of text"),
    // Found by fuzzing: what is no ASCII, and the tab, reached the terminal as they were.
    ConfigurationCase(
      "[Daemon]\nA\tB\u{9b}31m\u{202e}=1", #"f:2: unknown key A\u{9}B\u{9b}31m\u{202e}"#),
  ])
  func faultsNameTheirLine(_ row: ConfigurationCase) {
    #expect(parse(row.text).faults == row.faults)
  }

  @Test func everyFaultIsNamed() {
    let faults = parse("[Daemon]\nA=1\nB=2\n[Callback]\nCallbackPort=x\n").faults
    #expect(faults.map { $0.prefix(4) } == ["f:2:", "f:3:", "f:5:"])
  }

  @Test func aLineIsNotCutSilently() {
    let start = "[Daemon]\nStateDirectory=/"
    let room = ConfigurationFile.longestLine - "StateDirectory=/".utf8.count
    let fits = parse(start + String(repeating: "x", count: room))
    #expect(fits.faults == [])
    #expect(fits.configuration.stateDirectory?.utf8.count == room + 1)
    let tooLong = parse(start + String(repeating: "x", count: room + 1))
    #expect(tooLong.faults == ["f:2: has 197 bytes, and 196 is the most"])
  }

  @Test(arguments: [("1h", 3600), ("3650d", 315_360_000)])
  func takesBothEdgesOfATime(_ text: String, _ seconds: Int) {
    let (configuration, faults) = parse("[Sessions]\nRetention=\(text)")
    #expect(faults == [])
    #expect(configuration.retention == .seconds(seconds))
  }

  @Test func aFileThatIsMissingOrTooLargeIsAFault() throws {
    let directory = try TemporaryDirectory()
    let missing = read(directory.path + "/none").faults
    #expect(missing.count == 1)
    #expect(missing.first?.contains("cannot be read") == true)
    let path = directory.path + "/large"
    try write(String(repeating: "\n", count: ConfigurationFile.largest), to: path)
    #expect(read(path).faults == [])
    try write(String(repeating: "\n", count: ConfigurationFile.largest + 1), to: path)
    #expect(read(path).faults.count == 1)
  }
}

@Suite struct ExampleConfigurationTests {
  private let path = "config/mero-consentd.conf"

  @Test func theExampleSetsNothingAndIsValid() throws {
    let (configuration, faults) = read(path)
    #expect(faults == [])
    #expect(configuration == Configuration())
  }

  @Test func theExampleHasEveryKeyInItsSectionWithItsDefault() throws {
    let text = String(decoding: try content(of: path), as: UTF8.self)
    let keys = text.split(separator: "\n").compactMap { line -> String? in
      guard line.hasPrefix("#"), let equals = line.firstIndex(of: "=") else { return nil }
      let name = String(line[..<equals].dropFirst())
      return name.allSatisfy(\.isLetter) ? name : nil
    }
    #expect(keys == ConfigurationKey.allCases.map(\.rawValue))
    // With every default written out, nothing is different.
    let uncommented = text.split(separator: "\n").map { line in
      keys.contains { line.hasPrefix("#\($0)=") && line != "#\($0)=" } ? line.dropFirst() : line
    }
    let (configuration, faults) = parse(uncommented.joined(separator: "\n"))
    #expect(faults == [])
    #expect(configuration == Configuration())
  }

  /// The keys of the sections with names are shown as text that can be uncommented.
  @Test func theExampleHasEveryKeyOfANamedSection() throws {
    let text = String(decoding: try content(of: path), as: UTF8.self)
    let shown = text.split(separator: "\n").compactMap { line -> String? in
      guard line.hasPrefix("# "), let equals = line.firstIndex(of: "=") else { return nil }
      let name = String(line[..<equals].dropFirst(2))
      return name.allSatisfy { $0.isLetter || $0.isNumber } ? name : nil
    }
    #expect(
      shown == ReleaseKey.allCases.map(\.rawValue) + SessionKeyword.allCases.map(\.rawValue))
  }
}
