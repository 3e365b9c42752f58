import ConsentClient
import Crypto
import DevelopmentNode
import EventLoop
import Glibc
import MeroConsent
import Testing

/// The built `mero-consentd` as a child process, with everything of its own in one folder, and a
/// node for it in this process.
@LoopActor final class RealDaemon {
  let node: DevelopmentNode
  let client: BrokerClient
  private let home: String
  private var process: ChildProcess?

  init() async throws {
    var template = Array("/tmp/client-e2e-XXXXXX".utf8CString)
    home = String(cString: try #require(mkdtemp(&template)))
    client = BrokerClient(socket: home + "/api.sock")
    // The desktop's opener: the page that it is given is all that a test wants to know.
    let opener = try Files.open(home + "/xdg-open", .write, create: .exclusive(mode: 0o700))
    try opener.writeAll(
      Array("#!/bin/sh\necho \"$1\" >>\(home)/opened\n".utf8))
    node = try DevelopmentNode()
    node.start()
    try await start()
  }

  /// Returns when it answers.
  func start() async throws {
    let process = try ChildProcess.spawn(
      ChildProcess.Command(
        path: try Self.programs() + "/mero-consentd",
        arguments: [
          "--socket", client.socket, "--callback-port", "0", "--state-dir", home + "/state",
        ],
        environment: [
          "HOME=\(home)", "XDG_RUNTIME_DIR=\(home)", "XDG_CONFIG_HOME=\(home)/config",
          "XDG_STATE_HOME=\(home)/xdg-state", "PATH=\(home):/usr/bin:/bin", "DISPLAY=:99",
        ]))
    self.process = process
    while true {
      do throws(BrokerError) {
        _ = try await client.status()
        return
      } catch {
        try #require(error.code == .daemonUnavailable && process.exit == nil, "\(error)")
        try await LoopActor.sleep(for: .milliseconds(10))
      }
    }
  }

  /// `MERO_BIN`, or else where the tests are.
  private static func programs() throws -> String {
    if let named = getenv("MERO_BIN") { return String(cString: named) }
    var tests = [UInt8](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &tests, tests.count)
    let end = try #require(tests[..<max(count, 0)].lastIndex(of: UInt8(ascii: "/")))
    return String(decoding: tests[..<end], as: UTF8.self)
  }

  /// As a crash, or a kernel that is out of memory, ends it.
  func kill() async throws {
    let process = try #require(process)
    process.send(.kill)
    #expect(await process.waitForExit() == .signal(SIGKILL))
  }

  func stop() async throws {
    let process = try #require(process)
    process.send(.terminate)
    #expect(await process.waitForExit() == .code(0))
  }

  /// Ends everything. A test calls it last.
  func end() async throws {
    try await stop()
    await node.stop()
    removeTree(home)
  }

  func openSession() async throws -> BrokerSession {
    try await client.openSession(nodeSession)
  }

  var nodeSession: NodeSession {
    NodeSession(
      package: node.state.place.package, nodeURL: node.state.place.base,
      trust: .transportKey(Hex.encode(node.transportKey)), tokens: tokens,
      origins: node.state.place.origins, returnTo: node.state.place.returnTo)
  }

  /// The pages that were opened in the person's browser.
  var openedPages: [String] {
    guard let file = fopen(home + "/opened", "r") else { return [] }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 64 * 1024)
    let count = fread(&bytes, 1, bytes.count, file)
    return bytes[..<count].split(separator: UInt8(ascii: "\n")).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  var tokens: SessionTokens {
    SessionTokens(accessToken: node.tokens.access, refreshToken: node.tokens.refresh)
  }
}

private func removeTree(_ path: String) {
  guard let directory = opendir(path) else {
    unlink(path)
    return
  }
  while let entry = readdir(directory) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    if name != "." && name != ".." { removeTree(path + "/" + name) }
  }
  closedir(directory)
  rmdir(path)
}
