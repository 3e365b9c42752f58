import EventLoop
import MeroConsent
import TDXQuote

/// `mero-consent node trust`: a release's published measurements as the daemon's configuration.
enum NodeTrustCommand {
  private static let release = Option(
    "release", "FILE", help: "the release's published-mrtds.json, or - for standard input",
    required: true, values: .file)
  private static let profile = Option(
    "profile", "NAME", help: "the image of the release (default \(PublishedRelease.lockedProfile))")
  private static let name = Option(
    "name", "NAME", help: "what the configuration calls it (default the release and the profile)")
  private static let allow = Option(
    "allow-tcb", "STATUS",
    help: "a status of the platform that is good enough for it besides UpToDate",
    repeatable: true, values: .words(NodeMeasurements.tcbStatuses))
  private static let print = Option(
    "print", help: "write the section to standard output and change nothing")

  static let command = Command(
    path: ["node", "trust"], group: .trust, summary: "trust the nodes that run a release",
    description: [
      "Writes the release's measurements into a file of the daemon's configuration. Every release "
        + "that is configured there is trusted; remove the file to trust it no more.",
      "Whether FILE is the release's own is not checked here: take it from the release's page over "
        + "https, and check its signature where it has one.",
      "The statuses of the platform that the file itself allows count for nothing: UpToDate alone "
        + "is good enough unless --allow-tcb says so.",
    ],
    options: [release, profile, name, allow, print],
    exitCodes: [.done, .usage, .badData, .notWritten, .configuration],
    examples: [
      .init(
        text: "A release, then the daemon is told",
        line: "mero-consent node trust --release published-mrtds.json && "
          + "systemctl --user reload mero-consentd")
    ],
    run: { (arguments, terminal) throws(CommandFailure) in
      try run(arguments, on: terminal)
    })

  @LoopActor private static func run(
    _ arguments: ParsedArguments, on terminal: Terminal
  ) throws(CommandFailure) -> ExitCode {
    let section = try section(arguments)
    if arguments.has(print) {
      try terminal.document(TrustDocument(section, file: nil, isNew: false))
      try terminal.print(section.text.split(separator: "\n").map(String.init))
      return .done
    }
    let file = try DropInFile(name: "release-\(section.name)")
    let isNew = try file.write(section.text)
    try terminal.document(TrustDocument(section, file: file.path, isNew: isNew))
    try terminal.print(
      isNew
        ? "trusted: \(section.name), in \(escaped(file.path))"
        : "trusted before: \(section.name), in \(escaped(file.path))")
    if isNew {
      terminal.say(
        "The daemon takes it over with “systemctl --user reload mero-consentd”, or at "
          + "its next start.")
    }
    return .done
  }

  private static func section(_ arguments: ParsedArguments) throws(CommandFailure) -> ReleaseSection
  {
    let file = arguments.value(release) ?? ""
    let image = try ReleaseFile.image(in: file, profile: arguments.value(profile))
    let statuses = try ReleaseFile.statuses(arguments.values(allow))
    let label = image.name ?? ""
    guard ReleaseSection.isLabel(label) else {
      throw CommandFailure(
        .badData, .fileUnusable,
        "\(file): the release's name has signs that a configuration cannot hold", field: file)
    }
    let name = arguments.value(name) ?? ReleaseSection.name(from: label)
    guard SessionStore.isName(name), !name.hasPrefix("_") else {
      throw .usage(
        "“\(name)” is no name: letters, digits, “.”, “_” and “-”, 64 at most",
        hint: "Choose one with --name.")
    }
    return ReleaseSection(name: name, label: label, image: image, statuses: statuses)
  }
}

/// `[Release NAME]`, as the daemon reads it.
struct ReleaseSection: Sendable {
  /// Bytes of the label that the daemon takes.
  static let longestLabel = 128

  let name: String
  let label: String
  let image: NodeMeasurements
  let statuses: [String]

  var registers: [(key: String, value: String)] {
    [
      ("MRTD", image.mrtd), ("RTMR0", image.rtmr0), ("RTMR1", image.rtmr1),
      ("RTMR2", image.rtmr2), ("RTMR3", image.rtmr3),
    ]
  }

  /// Every value but the label is hexadecimal digits or one of our own words.
  var text: String {
    "[Release \(name)]\nImage=\(label)\n"
      + registers.map { "\($0.key)=\($0.value)\n" }.joined()
      + "AllowedTCB=\(statuses.joined(separator: " "))\n"
  }

  /// Visible ASCII and single blanks, and no “;”, which begins a comment: the label comes from
  /// the release's file, and must not become a line of its own.
  static func isLabel(_ text: String) -> Bool {
    (1...longestLabel).contains(text.utf8.count) && text.utf8.first != 0x20
      && text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ";") }
  }

  /// `2.3.87 locked-read-only` as `2.3.87-locked-read-only`.
  static func name(from label: String) -> String {
    String(
      decoding: label.utf8.map { byte in
        SessionStore.isName("a" + String(decoding: [byte], as: UTF8.self))
          ? byte : UInt8(ascii: "-")
      }, as: UTF8.self)
  }
}

private struct TrustDocument: Encodable {
  let name: String
  let image: String
  let measurements: [String: String]
  let allowedTCB: [String]
  let file: String?
  let changed: Bool

  init(_ section: ReleaseSection, file: String?, isNew: Bool) {
    name = section.name
    image = section.label
    measurements = Dictionary(
      uniqueKeysWithValues: section.registers.map { ($0.key.lowercased(), $0.value) })
    allowedTCB = section.statuses
    self.file = file
    changed = isNew
  }
}
