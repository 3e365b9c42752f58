import EventLoop
import FoundationEssentials
import Glibc
import MeroConsent
import Sealed
import Testing

/// The scripted server of these tests, one for all of them.
struct TestNode: Sendable {
  /// By the names in the script: `node` and `plain` behave, each other one in its own way.
  let ports: [String: UInt16]
  let directory: String

  /// The authority that these tests trust.
  var store: CAStore? {
    CAStore(environment: { $0 == "SSL_CERT_FILE" ? directory + "/authority.pem" : nil })
  }

  func address(_ server: String, host: String = "127.0.0.1") throws -> NodeAddress {
    let port = try #require(ports[server])
    return try NodeAddress("\(server == "plain" ? "http" : "https")://\(host):\(port)/node-7")
  }

  func carrier(
    _ server: String = "node", host: String = "127.0.0.1",
    memory: ReplyMemory = ReplyMemory(common: .max),
    _ change: (inout CarrierLimits) -> Void = { _ in }
  ) throws -> CurlCarrier {
    // For tests that are not about time, on a machine that may be busy with others.
    var limits = CarrierLimits()
    limits.connect = .seconds(600)
    limits.call = .seconds(36_000)
    limits.silence = .seconds(600)
    change(&limits)
    return CurlCarrier(
      node: try address(server, host: host), limits: limits, store: store, memory: memory)
  }

  static func shared() async throws -> TestNode { try await starting.value }

  private static let starting = Task { @LoopActor in try await start() }

  @LoopActor private static func start() async throws -> TestNode {
    var template = Array("/tmp/carrier-test-XXXXXX".utf8CString)
    let directory = String(cString: try #require(mkdtemp(&template)))
    let path = "PATH=" + (getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin")
    let shell = { (script: String) in
      try ChildProcess.spawn(
        .init(
          path: "/bin/sh", arguments: ["-c", "cd '\(directory)'\n" + script],
          environment: [path, "HOME=/tmp"], output: .standardError))
    }
    try #require(await shell(testCertificatesScript).waitForExit() == .code(0))
    try Files.replace(directory + "/node.py", with: Array(testNodeScript.utf8), mode: 0o600)
    let server = try shell("exec python3 node.py")
    while !Files.isReadable(directory + "/ports") {
      try #require(server.exit == nil)
      try await LoopActor.sleep(for: .milliseconds(5))
    }
    let text = try Files.read(directory + "/ports", limit: 4096)
    let ports = try JSONDecoder().decode([String: UInt16].self, from: Data(text))
    return TestNode(ports: ports, directory: directory)
  }
}

extension CurlCarrier {
  /// Posts to `path` and reads the whole answer.
  func exchange(
    _ path: String, body: String = "", limit: Int = 1 << 20
  ) async throws(CarrierError) -> (head: CarrierReplyHead, text: String) {
    let request = CarrierRequest(
      path: "/" + path, contentType: "text/plain", body: Array(body.utf8), replyLimit: limit)
    let reply = try await post(request)
    var bytes: [UInt8] = []
    while let piece = try await reply.next() { bytes += piece }
    return (reply.head, String(decoding: bytes, as: UTF8.self))
  }

  /// How many requests of `path` the server has read.
  func requestsSeen(_ path: String) async throws -> Int {
    try #require(Int(try await exchange("count", body: path).text))
  }
}

/// The error of an exchange, `nil` when there is none.
func carrierError(_ body: () async throws -> Void) async -> CarrierError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? CarrierError
  }
}
