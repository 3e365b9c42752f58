import Sealed

/// Gathers the head of an answer from the lines that libcurl hands over. Interim answers (1xx)
/// are passed over.
struct ReplyHeadReader {
  enum Step: Equatable {
    case more
    case whole(CarrierReplyHead)
    case refused(String)
  }

  /// Whether the last coding of the body is "chunked", which marks its own end.
  private(set) var isChunked = false
  private var head = CarrierReplyHead(status: 0)
  private var bytes = 0

  /// One line with its line end. libcurl has already checked that it is a header line.
  mutating func take(_ line: UnsafeRawBufferPointer) -> Step {
    bytes += line.count
    if bytes > CarrierLimits.headerBytes {
      return .refused("a header longer than \(CarrierLimits.headerBytes) bytes")
    }
    let text = Self.trimmed(line[...])
    if text.isEmpty {
      if head.status < 200 { return .more }
      return head.status < 600 ? .whole(head) : .refused("status \(head.status)")
    }
    if text.starts(with: "HTTP/".utf8) {
      head = CarrierReplyHead(status: Self.status(of: text))
      isChunked = false
    } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
      let value = String(decoding: Self.trimmed(text[(colon + 1)...]), as: UTF8.self)
      switch String(decoding: text[..<colon], as: UTF8.self).lowercased() {
      case "content-type": Self.add(value, to: &head.contentType)
      case "retry-after": Self.add(value, to: &head.retryAfter)
      case "transfer-encoding": isChunked = value.lowercased().hasSuffix("chunked")
      case "date": Self.add(value, to: &head.date)
      default: break
      }
    }
    return .more
  }

  /// A field that comes twice is the list of both (RFC 9110, 5.3): for these three no valid value.
  private static func add(_ value: String, to field: inout String?) {
    field = field.map { $0 + ", " + value } ?? value
  }

  /// The three digits after the version; 0 when there are none.
  private static func status(of line: Slice<UnsafeRawBufferPointer>) -> Int {
    let digits = line.drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix(3)
    guard digits.count == 3, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private static func trimmed(
    _ bytes: Slice<UnsafeRawBufferPointer>
  ) -> Slice<UnsafeRawBufferPointer> {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0d || $0 == 0x0a }
    var bytes = bytes.drop(while: isSpace)
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    return bytes
  }
}
