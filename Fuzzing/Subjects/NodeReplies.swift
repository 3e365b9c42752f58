import Crypto

@testable import MeroConsent
@testable import Sealed

extension Subject {
  /// What a node, or whoever answers in its place, says outside of an envelope: the lines of its
  /// head, refusals, and the answer to the attestation call. Nothing but a well-formed code is
  /// ever shown, and only a refusal of the protocol's own table is acted on.
  ///
  /// The input is a head and, behind its empty line, a body.
  static let nodeReplies = Subject(
    name: "node-replies", longest: 1024,
    words: [
      "HTTP/1.1 409 Conflict\r\n", "HTTP/2 503 \r\n", "HTTP/1.1 103 Early Hints\r\n\r\n",
      "Content-Type: application/json\r\n", "Retry-After: 5\r\n", "Transfer-Encoding: chunked\r\n",
      "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n", #"{"error":{"code":""#, #""message":"m"}}"#,
      #"{"data":{"quoteB64":""#, #""transportPublicKey":""#, #""collateral":{}"#,
      "sealed_route_unguarded",
    ] + NodeRefusal.Code.allCases.map(\.rawValue),
    seeds: NodeRefusal.Code.allCases.map {
      Array("HTTP/1.1 \($0.status) Refused\r\nRetry-After: 3\r\n\r\n".utf8)
        + NodeRefusal($0).body(message: "m")
    } + [
      Array("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n".utf8)
        + Array(
          #"{"data":{"quoteB64":"TU9DS19URFhfUVVPVEVfVjE=","transportPublicKey":""#.utf8)
        + Array((String(repeating: "0a", count: 32) + #"","collateral":{"a":1}}}"#).utf8)
    ]
  ) { bytes throws(Finding) in
    let (head, body) = try readHead(bytes)
    if let head { try checkRefusal(head, body) }
    for reply in [body, bytes] { try checkEvidence(reply) }
  }

  /// Line by line, as libcurl hands it over.
  private static func readHead(
    _ bytes: [UInt8]
  ) throws(Finding) -> (CarrierReplyHead?, body: [UInt8]) {
    var reader = ReplyHeadReader()
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = Array(rest[...end])
      rest = rest[(end + 1)...]
      switch line.withUnsafeBytes({ reader.take($0) }) {
      case .more: continue
      case .refused(let why):
        try require(why.utf8.count < 80 && why.utf8.allSatisfy { $0 >= 0x20 }, "refused: \(why)")
        return (nil, Array(rest))
      case .whole(let head):
        try require((200..<600).contains(head.status), "an answer of status \(head.status)")
        return (head, Array(rest))
      }
    }
    return (nil, bytes)
  }

  private static func checkRefusal(_ head: CarrierReplyHead, _ body: [UInt8]) throws(Finding) {
    if NodeRefusal.saysUnguarded(status: head.status, body: body) {
      try require(head.status == 403, "unguarded with another status")
    }
    guard let refusal = NodeRefusal(head: head, body: body) else { return }
    try require(
      (1...64).contains(refusal.code.utf8.count)
        && refusal.code.utf8.allSatisfy { SealedField.isTokenByte($0) }, "a code that is none")
    try require(refusal.status == head.status, "another status")
    try require(refusal.retryAfter.map { (0...999_999_999).contains($0) } != false, "a long pause")
    if let known = refusal.known {
      try require(
        known.rawValue == refusal.code && known.status == head.status, "acted on, and not known")
    }
    let message = String(decoding: body, as: UTF8.self)
    let again = NodeRefusal(head: head, body: refusal.body(message: message))
    try require(again == refusal, "written again it is \(String(describing: again))")
  }

  private static func checkEvidence(_ reply: [UInt8]) throws(Finding) {
    let nonce = [UInt8](repeating: 5, count: 32)
    guard let evidence = try? AttestCall.evidence(nonce: nonce, reply: reply) else { return }
    try require(evidence.reply == reply && evidence.nonce == nonce, "evidence of another answer")
    try require(evidence.reportData.count == 64, "report data of \(evidence.reportData.count)")
    let (quote, key) = (Base64.encode(evidence.quote), Hex.encode(evidence.transportKey.bytes))
    let json = #"{"data":{"quoteB64":"\#(quote)","transportPublicKey":"\#(key)"}}"#
    let again = try? AttestCall.evidence(nonce: nonce, reply: Array(json.utf8))
    try require(
      again?.quote == evidence.quote && again?.reportData == evidence.reportData,
      "the evidence is another when it is read again")
  }
}
