import HTTP

@testable import ConsentBroker

extension Subject {
  /// The configuration file, through inih: each fault has its line, nothing of a faulty file or
  /// of a file's bytes reaches a terminal, and line ends and comments change nothing.
  static let configuration = Subject(
    name: "configuration", longest: 1024,
    words: ConfigurationKey.sections.map { "[\($0)]\n" }
      + ConfigurationKey.allCases.map { "\($0.rawValue) = " }
      + ReleaseKey.allCases.map { "\($0.rawValue) = " }
      + SessionKeyword.allCases.map { "\($0.rawValue) = " }
      + [
        "[Release a]\n", "[Session a]\n", "/run/x", "17463", "debug", "30d", "5min", "; x", "# x",
        "\r\n", "\\\n", "\u{FEFF}",
      ],
    seeds: [
      """
      [Daemon]
      Socket=/run/x
      LogLevel=debug ; said
      IdleTimeout=5min
      [Callback]
      CallbackPort=17463
      [Sessions]
      Retention=30d
      SessionTimeout=8h
      [Node]
      ConnectTimeout=5s
      [Desktop]
      Notifications=no

      """,
      """
      [Release a]
      Image=2.3.87 locked
      """
        + ["MRTD", "RTMR0", "RTMR1", "RTMR2", "RTMR3"].map {
          "\n\($0)=" + String(repeating: "0a", count: 48)
        }.joined() + """

          AllowedTCB=UpToDate
          [Session b]
          Node=https://node.example/node-7
          Package=com.example.notes
          TokenFile=/t
          Origin=https://notes.example
          Release=a
          [Session c]
          Node=http://127.0.0.1:8080/n
          Package=c
          TokenFile=/t
          Development=yes

          """,
    ].map { Array($0.utf8) }
  ) { bytes throws(Finding) in
    let read = Read(bytes)
    let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
    try require(read.faults.count <= ConfigurationReading.mostFaults, "too many faults")
    for fault in read.faults {
      let parts = fault.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      let line = parts.count == 3 ? Int(parts[1]) : nil
      try require(parts.first == "f" && line.map { (1...lines).contains($0) } == true, fault)
      try require(
        fault.unicodeScalars.allSatisfy {
          ![.control, .format].contains($0.properties.generalCategory)
        },
        "a control character for the terminal: \(fault.debugDescription)")
    }
    if read.faults.isEmpty { try checkSound(read, bytes) }
    let commented = Read(bytes + Array("\n# the end\n".utf8))
    try require(commented == read, "a comment at its end changes it: \(commented) and not \(read)")
    if !bytes.contains(UInt8(ascii: "\r")) {
      let windows = bytes.flatMap { $0 == UInt8(ascii: "\n") ? [UInt8(ascii: "\r"), $0] : [$0] }
      try require(Read(windows) == read, "line ends change it")
    }
  }

  private struct Read: Equatable {
    let configuration: Configuration
    let faults: [String]

    init(_ bytes: [UInt8], over configuration: Configuration = Configuration()) {
      var reading = ConfigurationReading(configuration)
      ConfigurationFile.parse(bytes, of: "f", into: &reading)
      faults = reading.finish()
      self.configuration = reading.configuration
    }
  }

  private static func checkSound(_ read: Read, _ bytes: [UInt8]) throws(Finding) {
    let configuration = read.configuration
    for path in [configuration.socket, configuration.stateDirectory].compactMap({ $0 }) {
      try require(path.utf8.first == UInt8(ascii: "/"), "a path that is not absolute")
      try require(
        String(decoding: bytes, as: UTF8.self).utf8.count >= path.utf8.count, "a path of nowhere")
    }
    try require(
      (.hours(1)...(.days(3650))).contains(configuration.retention)
        && (.minutes(1)...(.days(30))).contains(configuration.sessionTimeout)
        && (.seconds(1)...(.minutes(1))).contains(configuration.connectTimeout)
        && (.seconds(1)...(.minutes(5))).contains(configuration.callTimeout), "a time out of range")
    // Read once more over itself, it says the same.
    try require(Read(bytes, over: configuration) == read, "read twice, it differs")
  }
}
