import HTTP
import MeroConsent

extension Subject {
  /// Two readers of forms, written apart (the servers' and the public library's), must agree on
  /// every query, and what is encoded must come back.
  static let percentCoding = Subject(
    name: "percent-coding", longest: 1024,
    words: ["%", "%25", "%2B", "%00", "%C3%A9", "%E2%80%AE", "+", "&", "=", "request_id=", "/"]
  ) { bytes throws(Finding) in
    let text = String(decoding: bytes, as: UTF8.self)
    let encoded = PercentCoding.encode(text)
    try require(encoded == percentEncodedSegment(text), "two encoders differ")
    try require(
      encoded.utf8.allSatisfy { HTTPBytes.isAlphanumeric($0) || "-._~%".utf8.contains($0) },
      "an encoding that has to be encoded")
    for plusIsSpace in [false, true] {
      let decoded = PercentCoding.decode(encoded.utf8, plusIsSpace: plusIsSpace)
      try require(decoded == Array(text.utf8), "encoded, it does not come back")
    }
    if let decoded = PercentCoding.decode(bytes) {
      try require(decoded.count <= bytes.count, "decoding made more of it")
      let escapes = bytes.count { $0 == UInt8(ascii: "%") }
      try require(decoded.count == bytes.count - 2 * escapes, "an escape counted twice")
    }
    try agreeOnQuery(text)
    if let segments = PathSegments.split("/" + text) {
      try require(
        segments.count == 1 + text.utf8.count { $0 == UInt8(ascii: "/") },
        "a slash came out of an escape")
    }
  }

  private static func agreeOnQuery(_ text: String) throws(Finding) {
    let servers = HTTP.FormQuery.parse(text)?.map { [Array($0.name.utf8), Array($0.value.utf8)] }
    let librarys = (try? MeroConsent.FormQuery.pairs(in: Array(text.utf8)))?
      .map { [Array($0.name.utf8), Array($0.value.utf8)] }
    try require(
      servers == librarys, "\(String(describing: servers)), \(String(describing: librarys))")
    guard let pairs = HTTP.FormQuery.parse(text) else { return }
    // An empty name without a value is left out by both.
    let kept = pairs.filter { !$0.name.isEmpty || !$0.value.isEmpty }
    let again = HTTP.FormQuery.parse(HTTP.FormQuery.encode(kept))
    try require(again == kept, "encoded again it is \(String(describing: again))")
  }
}
