import EventLoop
import FoundationEssentials
import MeroConsent
import TDXQuote

/// `mero-consent node probe`: whether a node can be reached and trusted, without the daemon.
enum NodeProbeCommand {
  private static let release = Option(
    "release", "FILE", help: "it has to run an image of this release (published-mrtds.json)",
    repeatable: true, values: .file)
  private static let profile = Option(
    "profile", "NAME", help: "the image of the release (default \(PublishedRelease.lockedProfile))")
  private static let allow = Option(
    "allow-tcb", "STATUS", help: "a status of the platform that is good enough besides UpToDate",
    repeatable: true, values: .words(NodeMeasurements.tcbStatuses))
  private static let transportKey = Option(
    "transport-key", "HEX", help: "it has to have this transport key, 64 hex digits")
  private static let development = Option(
    "development", help: "it is a development node on this machine")

  static let command = Command(
    path: ["node", "probe"], group: .trust, summary: "tell whether a node can be trusted",
    description: [
      "Has the node prove itself and opens a sealed session with it, as an app does before its "
        + "first request. No token is sent and nothing is asked.",
      "Without --release, --transport-key or --development it tells what a genuine node runs and "
        + "trusts nothing.",
    ],
    options: [release, profile, allow, transportKey, development],
    operands: [.init(metavar: "URL", help: "the node's address, its path included")],
    exitCodes: [.done, .usage, .badData, .unavailable, .notWritten, .notAllowed],
    examples: [
      .init(
        text: "A node and the release that it should run",
        line: "mero-consent node probe https://node.example/node-7 "
          + "--release published-mrtds.json")
    ],
    run: { (arguments, terminal) throws(CommandFailure) in
      try await run(arguments, on: terminal)
    })

  @LoopActor private static func run(
    _ arguments: ParsedArguments, on terminal: Terminal
  ) async throws(CommandFailure) -> ExitCode {
    let trust = try trust(arguments)
    let url = try arguments.requiredOperand(0)
    let report: NodeProbe.Report
    let node: NodeAddress
    do throws(ConsentError) {
      node = try NodeAddress(url)
      report = try await NodeProbe.look(at: node, trust)
    } catch {
      throw CommandFailure(error)
    }
    let view = NodeProbeView(node: node, trust, report)
    try terminal.document(view)
    try terminal.print(view.lines(terminal.style))
    return report.failure.map { ExitCode($0.code) } ?? .done
  }

  private static func trust(
    _ arguments: ParsedArguments
  ) throws(CommandFailure) -> NodeProbe.Trust {
    let given = [transportKey, release, development].filter { arguments.has($0) }
    guard given.count < 2 else {
      throw .usage("only one of --transport-key, --release and --development can be given")
    }
    guard given.first == release || !arguments.has(profile) && !arguments.has(allow) else {
      throw .usage("--profile and --allow-tcb go with --release only")
    }
    if let key = arguments.value(transportKey) { return .by(.transportKey(key)) }
    if arguments.has(development) { return .by(.development) }
    guard arguments.has(release) else { return .anyImage }
    var images: [NodeMeasurements] = []
    for file in arguments.values(release) {
      images.append(try ReleaseFile.image(in: file, profile: arguments.value(profile)))
    }
    return .by(
      .measurements(images, tcb: try ReleaseFile.statuses(arguments.values(allow))))
  }
}

/// A release's `published-mrtds.json` on the command line.
enum ReleaseFile {
  static func image(
    in file: String, profile: String?
  ) throws(CommandFailure) -> NodeMeasurements {
    let json = try InputFile.read(file, limit: PublishedRelease.sizeLimit)
    do throws(ConsentError) {
      return try NodeMeasurements(
        release: json, profile: profile ?? PublishedRelease.lockedProfile)
    } catch {
      throw CommandFailure(.badData, .fileUnusable, "\(file): \(error.advice)", field: file)
    }
  }

  /// UpToDate, and what `--allow-tcb` adds.
  static func statuses(_ allowed: [String]) throws(CommandFailure) -> [String] {
    var statuses = ["UpToDate"]
    for name in allowed {
      guard let status = NodeMeasurements.tcbStatus(name) else {
        throw .usage(
          "--allow-tcb \(name) is none of \(NodeMeasurements.tcbStatuses.joined(separator: ", "))")
      }
      if !statuses.contains(status) { statuses.append(status) }
    }
    return statuses
  }
}
