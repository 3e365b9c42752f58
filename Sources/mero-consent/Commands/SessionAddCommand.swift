import ConsentClient
import EventLoop
import MeroConsent
import TDXQuote

/// `mero-consent session add`: lends an app's session with its node to the daemon.
enum SessionAddCommand {
  private static let node = Option(
    "node", "URL", help: "the node's address, its path included", required: true)
  private static let package = Option(
    "package", "ID", help: "the app's package, such as com.example.notes", required: true)
  private static let account = Option(
    "account", "HEX", help: "the account, 64 hex digits, where it is known")
  private static let returnTo = Option(
    "return-to", "URL", help: "where the page sends the person afterwards")
  private static let origin = Option(
    "origin", "URL", help: "an origin of the app's package", repeatable: true)
  private static let transportKey = Option(
    "transport-key", "HEX", help: "trust the node with this transport key, 64 hex digits")
  private static let release = Option(
    "release", "FILE",
    help: "trust nodes that run an image of this release (its published-mrtds.json)",
    repeatable: true, values: .file)
  private static let profile = Option(
    "profile", "NAME", help: "the image of the release (default \(PublishedRelease.lockedProfile))")
  private static let trustedReleases = Option(
    "trusted-releases",
    help: "trust nodes that run a release which the daemon trusts (“node trust”)")
  private static let development = Option(
    "development", help: "trust a development node, on this machine only")

  static let command = Command(
    path: ["session", "add"], group: .sessions, summary: "lend a session with a node to the daemon",
    description: [
      "The daemon starts requests and reads their results in the session's name. It keeps the "
        + "tokens in memory only.",
      "The session's key is kept in $XDG_RUNTIME_DIR/mero-consent/cli, which only this user can "
        + "read and which is gone at logout. The first session that is added is the default.",
      "One of --transport-key, --release, --trusted-releases and --development says how the node "
        + "proves that it is the one.",
    ],
    options: [
      node, package, account, TokenOptions.access, TokenOptions.refresh, returnTo, origin,
      transportKey, release, profile, trustedReleases, development, .socket,
    ],
    operands: [.init(metavar: "NAME", help: "what the session is called here")],
    exitCodes: [.done, .usage, .badData, .unavailable, .notWritten, .notAllowed, .configuration],
    examples: [
      .init(
        text: "A development node on this machine",
        line: "mero-consent session add dev --node http://127.0.0.1:4001 "
          + "--package com.example.notes --token-file token --development"),
      .init(
        text: "The token from another program",
        line: "get-token | mero-consent session add work --node https://node.example/node-7 "
          + "--package com.example.notes --token-file - --trusted-releases"),
    ],
    run: { (arguments, terminal) throws(CommandFailure) in
      try await run(arguments, on: terminal)
    })

  @LoopActor private static func run(
    _ arguments: ParsedArguments, on terminal: Terminal
  ) async throws(CommandFailure) -> ExitCode {
    let name = try arguments.requiredOperand(0)
    guard SessionStore.isName(name) else {
      throw .usage(
        "“\(name)” is no name for a session: letters, digits, “.”, “_” and “-”, 64 at most")
    }
    let client = Daemon.client(arguments)
    let store = SessionStore()
    try await refuseTaken(name, store, client)
    let session = NodeSession(
      package: arguments.value(package) ?? "", account: arguments.value(account),
      nodeURL: arguments.value(node) ?? "", trust: try trust(arguments),
      releases: arguments.has(trustedReleases) ? .all : nil,
      tokens: try TokenOptions.read(arguments, on: terminal), origins: arguments.values(origin),
      returnTo: arguments.value(returnTo))
    let opened = try await Daemon.call { () throws(BrokerError) in
      try await client.openSession(session)
    }
    do {
      try store.keep(opened.key, as: name)
    } catch {
      // Without its key nobody can use it.
      try? await opened.close()
      throw error
    }
    let isDefault = try store.defaultName() == name
    try terminal.document(SessionAddedDocument(name: name, isDefault: isDefault))
    try terminal.print("added the session \(name)" + (isDefault ? ", the default" : ""))
    return .done
  }

  /// A session that has ended makes room for a new one of its name.
  private static func refuseTaken(
    _ name: String, _ store: SessionStore, _ client: BrokerClient
  ) async throws(CommandFailure) {
    guard let entry = try store.entries().first(where: { $0.name == name }) else { return }
    if entry.source == .added {
      let session = client.session(key: try store.key(of: name))
      do throws(BrokerError) {
        _ = try await session.info()
      } catch {
        if error.code == .keyRequired { return }
        throw CommandFailure(error)
      }
    }
    throw CommandFailure(
      .usage, .sessionExists, "there is a session “\(name)” already",
      hint: entry.source == .added
        ? "“mero-consent session renew \(name)” gives it new tokens, “mero-consent session remove "
          + "\(name)” ends it."
        : "It is of the daemon's configuration: choose another name.")
  }

  private static func trust(_ arguments: ParsedArguments) throws(CommandFailure) -> NodeTrust {
    let given = [transportKey, release, trustedReleases, development].filter { arguments.has($0) }
    guard let chosen = given.first, given.count == 1 else {
      throw .usage(
        "one of --transport-key, --release, --trusted-releases and --development has to be given")
    }
    guard chosen == release || !arguments.has(profile) else {
      throw .usage("--profile goes with --release only")
    }
    if let key = arguments.value(transportKey) { return .transportKey(key) }
    if chosen == development { return .development }
    if chosen == trustedReleases { return .unconfigured }
    var images: [NodeMeasurements] = []
    for file in arguments.values(release) {
      images.append(try ReleaseFile.image(in: file, profile: arguments.value(profile)))
    }
    return .measurements(images)
  }
}

private struct SessionAddedDocument: Encodable {
  let name: String
  let isDefault: Bool

  private enum CodingKeys: String, CodingKey {
    case name
    case isDefault = "default"
  }
}
