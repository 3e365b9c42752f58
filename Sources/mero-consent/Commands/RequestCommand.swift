import ConsentClient
import EventLoop
import MeroConsent

/// `mero-consent request KIND`: asks, shows the code, opens the page, waits, and tells.
enum RequestCommand {
  private static let open = Option("open", help: "open the page in the browser without asking")
  private static let noOpen = Option("no-open", help: "do not open the page")
  private static let noWait = Option(
    "no-wait", help: "end as soon as the request is started, with 0 if it is")
  private static let idempotencyKey = Option(
    "idempotency-key", "KEY",
    help: "a repeat with the same key takes the first one's request up again")

  /// One command for each kind.
  static let commands = ConsentKind.allCases.map { kind in
    Command(
      path: ["request", kind.rawValue], group: .requests, summary: KindFields.summary(of: kind),
      description: [
        "The person decides on the page of their node, where they compare the code that is shown "
          + "here. The decision is read from the node.",
        "On a terminal it asks whether to open the page. Elsewhere the page is opened with --open "
          + "only.",
      ],
      options: KindFields.fields(of: kind).flatMap(\.options) + KindFields.returnTo.options + [
        open, noOpen, noWait, ResultOptions.timeout, idempotencyKey,
      ] + (kind.outcome == .inviteCreated ? ResultOptions.all : []) + [.session, .socket],
      exitCodes: ExitCode.decisions, examples: examples(of: kind),
      aliases: [Spelling.dashed(kind.rawValue)].filter { $0 != kind.rawValue },
      run: { (arguments, terminal) throws(CommandFailure) in
        try await run(kind, arguments, on: terminal)
      })
  }

  @LoopActor private static func run(
    _ kind: ConsentKind, _ arguments: ParsedArguments, on terminal: Terminal
  ) async throws(CommandFailure) -> ExitCode {
    guard !(arguments.has(open) && arguments.has(noOpen)) else {
      throw .usage("--open and --no-open exclude each other")
    }
    guard !arguments.has(noWait) || !arguments.has(ResultOptions.timeout) else {
      throw .usage("--no-wait and --timeout exclude each other")
    }
    try ResultOptions.check(arguments)
    let request = try RequestComposer.request(kind, arguments, on: terminal)
    let session = try Daemon.session(arguments)
    let key = arguments.value(idempotencyKey)
    terminal.live("Asking the node…")
    let started = try await Daemon.call { () throws(BrokerError) in
      try await session.start(request, idempotencyKey: key)
    }
    showCode(started, on: terminal)
    // Also at the question: the request is there.
    if !started.state.isFinal {
      terminal.farewell = DecisionWait.farewell(arguments, started.requestId)
    }
    defer { terminal.farewell = [] }
    if !started.state.isFinal, await wantsPage(arguments, terminal) {
      await openPage(of: started, in: session, on: terminal)
    } else if let url = started.url {
      terminal.say("The page, to be opened by hand: \(escaped(url))")
    }
    if arguments.has(noWait) {
      let exit = try ResultOptions.tell(started, arguments, on: terminal, isStart: true)
      return exit == .notDecided ? .done : exit
    }
    let wait = DecisionWait(
      session: session, terminal: terminal, arguments: arguments,
      timeout: try ResultOptions.timeout(arguments))
    return try ResultOptions.tell(
      try await wait.decision(of: started), arguments, on: terminal)
  }

  private static func wantsPage(_ arguments: ParsedArguments, _ terminal: Terminal) async -> Bool {
    if arguments.has(open) { return true }
    if arguments.has(noOpen) || !terminal.surroundings.isInteractive { return false }
    return await terminal.confirm("Open the page in the browser?")
  }

  /// Before the page opens: the person compares it there.
  @LoopActor private static func showCode(_ request: BrokerRequest, on terminal: Terminal) {
    guard let code = request.code else { return }
    if terminal.surroundings.hasLiveLine {
      terminal.say("The page has to show this code:")
      terminal.say("")
      if let lines = LargeText.lines(code, columns: terminal.columns - 2) {
        terminal.say(lines.map { "  " + terminal.errorStyle.bold($0) })
        terminal.say("")
      }
      terminal.say("  " + terminal.errorStyle.bold(escaped(code)))
      terminal.say("")
    } else {
      terminal.say("code: \(escaped(code))")
    }
  }

  /// A page that cannot be opened from here can be opened by hand: the request goes on.
  @LoopActor static func openPage(
    of request: BrokerRequest, in session: BrokerSession, on terminal: Terminal
  ) async {
    do throws(BrokerError) {
      let answer = try await session.open(request.requestId)
      switch answer.opened {
      case .yes: return terminal.say("The page is open in the browser.")
      case .unknown: terminal.say("The page was handed to the browser.")
      case .no, nil: break
      }
    } catch {
      terminal.say("\(escaped(error.code.rawValue)): \(escaped(error.advice))")
      // The daemon's words have the address already.
      if let url = request.url, error.advice.contains(url) { return }
    }
    if let url = request.url { terminal.say("The page, to be opened by hand: \(escaped(url))") }
  }

  private static func examples(of kind: ConsentKind) -> [Command.Example] {
    switch kind {
    case .createOrg:
      [
        .init(
          text: "Ask, open the page, wait",
          line: "mero-consent request createOrg --name Acme --open"),
        .init(
          text: "In a script",
          line: "org=$(mero-consent request createOrg --name Acme --open --json | jq -r "
            + ".outcome.orgId)"),
      ]
    case .createInvite:
      [
        .init(
          text: "An invite for a day, its token in a file",
          line: "mero-consent request createInvite --org org_1 --ttl-secs 86400 --output invite")
      ]
    case .acceptInvite:
      [
        .init(
          text: "The token from a file",
          line: "mero-consent request acceptInvite --token-file invite")
      ]
    case .setMemberTeams:
      [
        .init(
          text: "Two teams, one with capabilities",
          line: "mero-consent request setMemberTeams --org org_1 --account ACCOUNT --team "
            + "t1:member --team t2:admin:inviteMembers")
      ]
    default: []
    }
  }
}
