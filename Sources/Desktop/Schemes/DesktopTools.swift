import EventLoop

/// The desktop's own programs. Without them a warning says what to do; nothing fails.
@LoopActor struct DesktopTools {
  /// They read and write a few small files.
  private static let limit = Duration.seconds(10)

  private let environment: [String: String]

  init(_ environment: [String: String]) { self.environment = environment }

  /// Lets the desktop find new and missing desktop files in a folder.
  ///
  /// - Returns: warnings.
  func refresh(_ folder: String) async -> [String] {
    await run(
      "update-desktop-database", ["--quiet", folder],
      "a browser may not offer the scheme before you run “update-desktop-database \(folder)”")
  }

  func setDefault(_ id: String, for type: String) async -> [String] {
    await run(
      "xdg-mime", ["default", id, type],
      "make it the default with “xdg-mime default \(id) \(type)”")
  }

  private func run(_ name: String, _ arguments: [String], _ advice: String) async -> [String] {
    let path = DesktopEnvironment.program(name, in: environment["PATH"])
    guard let path else { return ["\(name) is not installed: \(advice)."] }
    let lines = environment.map { "\($0.key)=\($0.value)" }
    let exit: ChildProcess.Exit?
    do {
      let child = try ChildProcess.spawn(
        ChildProcess.Command(
          path: path, arguments: arguments, environment: lines, output: .standardError))
      exit = await child.exit(until: .now + Self.limit)
      if exit == nil { child.send(.terminate) }
    } catch {
      return ["\(name) cannot be run (\(error)): \(advice)."]
    }
    return exit == .code(0) ? [] : ["\(name) did not succeed: \(advice)."]
  }
}

extension ChildProcess {
  /// How it ended, where it does by then.
  func exit(until deadline: BootInstant) async -> Exit? {
    let end = Once<Exit?>()
    Task { end.give(await waitForExit()) }
    return await end.value(until: deadline, else: nil)
  }
}
