import Glibc

/// Finds the end of one answer, and looks at no more of it than that takes. It knows answers with
/// `Content-Length` and those that have no body; a chunked one is a fault.
struct ResponseReader {
  enum Progress: Equatable {
    case partial
    case complete(status: Int, closes: Bool)
    /// It is no answer that this reader knows, or bytes follow it.
    case fault
  }

  /// A head that has not come whole.
  private var head: [UInt8] = []
  private var bodyLeft = -1
  private var status = 0
  private var closes = false

  private static let largestHead = 65_536

  /// Takes the next bytes of the answer.
  mutating func take(_ bytes: UnsafeRawBufferPointer) -> Progress {
    if bodyLeft >= 0 { return takeBody(bytes.count) }
    if head.isEmpty { return takeHead(bytes, before: 0) }
    let before = head.count
    head.append(contentsOf: bytes)
    let whole = head
    return whole.withUnsafeBytes { takeHead($0, before: before) }
  }

  private mutating func takeHead(_ bytes: UnsafeRawBufferPointer, before: Int) -> Progress {
    guard let size = Self.headSize(bytes) else {
      guard bytes.count < Self.largestHead else { return .fault }
      if before == 0 { head = Array(bytes) }
      return .partial
    }
    guard readHead(UnsafeRawBufferPointer(rebasing: bytes[..<size])) else { return .fault }
    head.removeAll(keepingCapacity: true)
    return takeBody(bytes.count - size)
  }

  /// Up to the end of the first empty line; `nil` when there is none yet.
  private static func headSize(_ bytes: UnsafeRawBufferPointer) -> Int? {
    var index = 3
    // A line feed is either the one, or no later than three bytes before it.
    while index < bytes.count {
      if bytes[index] == 10 {
        if bytes[index - 1] == 13 && bytes[index - 2] == 10 && bytes[index - 3] == 13 {
          return index + 1
        }
        index += 2
      } else {
        index += 1
      }
    }
    return nil
  }

  private mutating func takeBody(_ count: Int) -> Progress {
    bodyLeft -= count
    if bodyLeft > 0 { return .partial }
    guard bodyLeft == 0 else { return .fault }
    bodyLeft = -1
    return .complete(status: status, closes: closes)
  }

  /// - Returns: whether the head says where the answer ends.
  private mutating func readHead(_ head: UnsafeRawBufferPointer) -> Bool {
    guard head.count > 12, head.starts(with: "HTTP/1.1 ".utf8) else { return false }
    status = head[9..<12].reduce(0) { $0 * 10 + Int($1) - 48 }
    closes = false
    var length: Int?
    var line = 0
    while let end = head[line...].firstIndex(of: 13), end > line {
      let field = UnsafeRawBufferPointer(rebasing: head[line..<end])
      if Self.begins(field, with: "content-length:") {
        length = field.dropFirst(15).reduce(0) { $1 == 32 ? $0 : $0 * 10 + Int($1) - 48 }
      } else if Self.begins(field, with: "connection: close") {
        closes = true
      } else if Self.begins(field, with: "transfer-encoding:") {
        return false
      }
      line = end + 2
    }
    bodyLeft = status == 204 || status == 304 ? 0 : length ?? -1
    return bodyLeft >= 0
  }

  private static func begins(_ field: UnsafeRawBufferPointer, with name: StaticString) -> Bool {
    guard field.count >= name.utf8CodeUnitCount, let start = field.baseAddress else { return false }
    return strncasecmp(start, name.utf8Start, name.utf8CodeUnitCount) == 0
  }
}
