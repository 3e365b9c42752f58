/// Certificates as text (RFC 7468).
package enum PEM {
  private static let begin = Array("-----BEGIN ".utf8)
  private static let label = Array("CERTIFICATE-----".utf8)
  private static let end = Array("-----END CERTIFICATE-----".utf8)

  /// The DER of every certificate in `text`, in order. Text outside of the blocks is not read.
  ///
  /// - Parameter limit: the largest number of certificates that is of use.
  /// - Returns: `nil` when a block has no end, holds anything but base64 and white space, or is
  ///   no certificate, and when there are more blocks than `limit`.
  package static func certificates(_ text: ArraySlice<UInt8>, limit: Int) -> [[UInt8]]? {
    var found: [[UInt8]] = []
    var rest = text
    while let start = firstIndex(of: begin, in: rest) {
      rest = rest[start...].dropFirst(begin.count)
      guard found.count < limit, rest.starts(with: label) else { return nil }
      rest = rest.dropFirst(label.count)
      guard let stop = firstIndex(of: end, in: rest), let der = decode(rest[..<stop]) else {
        return nil
      }
      found.append(der)
      rest = rest[stop...].dropFirst(end.count)
    }
    return found
  }

  private static func firstIndex(of marker: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
    var start = text.startIndex
    while let dash = text[start...].firstIndex(of: marker[0]) {
      if text[dash...].starts(with: marker) { return dash }
      start = dash + 1
    }
    return nil
  }

  private static func decode(_ body: ArraySlice<UInt8>) -> [UInt8]? {
    let digits = body.filter { !isWhiteSpace($0) }
    return Base64.decode(String(decoding: digits, as: UTF8.self))
  }

  private static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0x0a || byte == 0x0d || byte == 0x20 || byte == 0x09
  }
}
