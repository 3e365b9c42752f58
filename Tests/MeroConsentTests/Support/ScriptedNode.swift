import Crypto
import FoundationEssentials
import MeroConsent

/// A node whose answers a test writes. It keeps what it was asked.
actor ScriptedNode: NodeTransport {
  typealias Answer = @Sendable (NodeCall, _ index: Int) async throws(ConsentError) -> NodeReply

  private let answer: Answer
  private(set) var calls: [NodeCall] = []
  private(set) var isClosed = false

  init(_ answer: @escaping Answer) { self.answer = answer }

  /// Answers one reply after the other, the last one for ever.
  init(replies: [NodeReply]) {
    self.init { _, index in replies[min(index, replies.count - 1)] }
  }

  func send(_ call: NodeCall) async throws(ConsentError) -> NodeReply {
    calls.append(call)
    return try await answer(call, calls.count - 1)
  }

  func change(to trust: NodeTrust?) -> TrustChange { .keepsCalls }

  func endDistrusted() {}

  func close() { isClosed = true }

  var paths: [String] { calls.map { "\($0.method) \($0.path)" } }
  var bearers: [String?] { calls.map { $0.bearer?.revealed } }
}

extension NodeCall {
  var text: String { String(decoding: body, as: UTF8.self) }
}

extension NodeReply {
  static func json(_ text: String, status: Int = 200, date: Date? = nil) -> NodeReply {
    NodeReply(status: status, body: Array(text.utf8), date: date)
  }

  static let tokenExpired = NodeReply(status: 401, authError: "token_expired")
}
