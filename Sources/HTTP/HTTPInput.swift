/// Bytes that have arrived and are not parsed yet, and the reading of lines from them.
///
/// Every byte is looked at once, however small the pieces are in which they come.
struct HTTPInput {
  /// What was read. A connection appends here; nothing else does.
  var bytes: [UInt8] = []
  /// The first byte that is not consumed.
  private(set) var position = 0
  /// The first byte that no line search has looked at.
  private var searched = 0

  var available: Int { bytes.count - position }
  var isEmpty: Bool { position == bytes.count }

  /// Consumes a line that ends in CR LF.
  ///
  /// No line of HTTP/1.1 has a control character other than the tab, so a bare CR, a bare LF
  /// and a NUL are refused as soon as they arrive, wherever they are.
  ///
  /// - Parameter limit: how many bytes the line may have before its line end.
  /// - Returns: where the line is in `bytes`, without its end; `nil` when it is not complete.
  mutating func nextLine(
    limit: Int, orRefuse tooLong: @autoclosure () -> HTTPRefusal
  ) throws(HTTPRefusal) -> Range<Int>? {
    // Not a byte behind the limit is looked at: whether a line is too long, or has something in it
    // that no line has, must not depend on how much of it has come.
    searched = endOfText(within: limit)
    guard searched < bytes.count else { return nil }
    let byte = bytes[searched]
    guard !HTTPBytes.isFieldValue(byte) else { throw tooLong() }
    guard byte == HTTPBytes.carriageReturn else { throw HTTPInput.fault(byte) }
    // Whether this CR is bare is known with the next byte.
    guard searched + 1 < bytes.count else { return nil }
    guard bytes[searched + 1] == HTTPBytes.lineFeed else { throw HTTPInput.fault(byte) }
    let line = position..<searched
    position = searched + 2
    searched = position
    return line
  }

  /// Where the first byte is that belongs to no line, or is one too many; the end of all bytes
  /// without one.
  private func endOfText(within limit: Int) -> Int {
    let stop = min(bytes.count, position + limit)
    return bytes.withUnsafeBufferPointer { bytes in
      var index = searched
      // Eight at a time up to where something is: most of a head is plain text.
      let raw = UnsafeRawBufferPointer(bytes)
      while index + 8 <= stop,
        HTTPBytes.areFieldValues(raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      {
        index += 8
      }
      while index < stop, HTTPBytes.isFieldValue(bytes[index]) { index += 1 }
      return index
    }
  }

  /// Consumes up to `limit` bytes.
  mutating func take(upTo limit: Int) -> ArraySlice<UInt8> {
    let end = position + min(limit, available)
    let result = bytes[position..<end]
    position = end
    searched = end
    return result
  }

  /// The next byte but `offset`, without consuming it.
  func peek(_ offset: Int = 0) -> UInt8? {
    position + offset < bytes.count ? bytes[position + offset] : nil
  }

  /// Gives the room of consumed bytes back to later ones. Call it when no range is in use.
  mutating func compact() {
    guard position > 0 else { return }
    if isEmpty {
      // A connection may be idle for long, and most requests are small.
      bytes.removeAll(keepingCapacity: bytes.capacity <= HTTPInput.keptCapacity)
    } else {
      bytes.removeSubrange(..<position)
    }
    searched -= position
    position = 0
  }

  private static let keptCapacity = 4096

  private static func fault(_ byte: UInt8) -> HTTPRefusal {
    switch byte {
    case HTTPBytes.carriageReturn: HTTPRefusal(400, "A CR must be followed by a LF.")
    case HTTPBytes.lineFeed: HTTPRefusal(400, "A line must end in CR LF.")
    default: HTTPRefusal(400, "A line has a control character.")
    }
  }
}
