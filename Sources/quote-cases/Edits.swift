import Crypto

extension QuoteEdit {
  /// `xor`, `put`, `truncate` or `append`.
  func apply(to bytes: inout [UInt8]) throws(CaseProblem) {
    switch op {
    case "xor":
      let (start, mask) = try target(mask, in: bytes)
      for (index, bits) in mask.enumerated() { bytes[start + index] ^= bits }
    case "put":
      let (start, new) = try target(hex, in: bytes)
      bytes.replaceSubrange(start..<start + new.count, with: new)
    case "truncate":
      guard let length, length >= 0, length <= bytes.count else {
        throw CaseProblem("truncate beyond the end")
      }
      bytes.removeLast(bytes.count - length)
    case "append":
      guard let more = hex.flatMap({ Hex.decode($0) }) else { throw CaseProblem("append no hex") }
      bytes += more
    default: throw CaseProblem("unknown edit \(op)")
    }
  }

  private func target(
    _ digits: String?, in bytes: [UInt8]
  ) throws(CaseProblem) -> (start: Int, bytes: [UInt8]) {
    guard let offset, let new = digits.flatMap({ Hex.decode($0) }), offset >= 0,
      offset <= bytes.count, new.count <= bytes.count - offset
    else { throw CaseProblem("\(op) outside of the bytes") }
    return (offset, new)
  }
}

extension CollateralEdit {
  func apply(
    to collateral: inout [String: JSONValue], data: inout DataDirectory
  ) throws(CaseProblem) {
    switch op {
    case "remove": collateral[field] = nil
    case "set": collateral[field] = value ?? .null
    case "copy":
      guard let from else { throw CaseProblem("copy from nowhere") }
      collateral[field] = try data.object(from)[field]
    case "replaceText":
      guard case .string(let text) = collateral[field], let find, let with,
        let place = Array(text.utf8).firstRange(of: Array(find.utf8))
      else { throw CaseProblem("\(field) does not hold the text to replace") }
      var bytes = Array(text.utf8)
      bytes.replaceSubrange(place, with: Array(with.utf8))
      collateral[field] = .string(String(decoding: bytes, as: UTF8.self))
    case "asBytes":
      collateral[field] = .array(try fieldBytes(collateral).map { .integer(Int($0)) })
    default:
      var bytes = try fieldBytes(collateral)
      try self.bytes.apply(to: &bytes)
      collateral[field] = .string(Hex.encode(bytes))
    }
  }

  private func fieldBytes(_ collateral: [String: JSONValue]) throws(CaseProblem) -> [UInt8] {
    switch collateral[field] {
    case .string(let digits):
      if let bytes = Hex.decode(digits) { return bytes }
    case .array(let numbers):
      let bytes = numbers.compactMap { number -> UInt8? in
        guard case .integer(let value) = number else { return nil }
        return UInt8(exactly: value)
      }
      if bytes.count == numbers.count { return bytes }
    default: break
    }
    throw CaseProblem("\(field) is no byte string")
  }
}
