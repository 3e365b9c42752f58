/// The header fields of one message, in order, kept as they go over the wire.
///
/// One buffer holds `Name: value CR LF` of every field, so that writing them is one copy and
/// reading a request takes two allocations, not two a field. All ways in are validated.
package struct HTTPHeaders: Sendable {
  /// Where a field lies in `wire`; its value ends two bytes before its end.
  private struct Field {
    var start: Int
    var nameCount: Int
    var valueCount: Int

    var valueStart: Int { start + nameCount + 2 }
    var end: Int { valueStart + valueCount + 2 }
  }

  /// Every field with its line end.
  package private(set) var wire: [UInt8] = []
  private var fields: [Field] = []
  /// One of them says how the message is framed, which only a server or a client itself says.
  private(set) var hasFraming = false

  package init() {}

  package var count: Int { fields.count }
  package var isEmpty: Bool { fields.isEmpty }

  package mutating func add(_ name: HTTPFieldName, _ value: HTTPFieldValue) {
    append(name: name.text.utf8, value: value.text.utf8)
  }

  /// Adds every field of `other`, in its order.
  package mutating func add(contentsOf other: HTTPHeaders) {
    let offset = wire.count
    if other.hasFraming { hasFraming = true }
    wire.append(contentsOf: other.wire)
    for var field in other.fields {
      field.start += offset
      fields.append(field)
    }
  }

  /// Replaces every field of that name.
  package mutating func set(_ name: HTTPFieldName, _ value: HTTPFieldValue) {
    remove(name)
    add(name, value)
  }

  package mutating func remove(_ name: HTTPFieldName) {
    guard contains(name) else { return }
    var kept = HTTPHeaders()
    for field in fields where !matches(field, name) {
      kept.append(name: nameBytes(field), value: valueBytes(field))
    }
    self = kept
  }

  /// Without the fields that say how the message is framed.
  var withoutFraming: HTTPHeaders {
    var kept = HTTPHeaders()
    for field in fields where !frames(nameBytes(field)) {
      kept.append(name: nameBytes(field), value: valueBytes(field))
    }
    return kept
  }

  /// The first value of that name, with bytes that are no UTF-8 replaced; `nil` without one.
  package subscript(name: HTTPFieldName) -> String? {
    fields.first { matches($0, name) }.map { String(decoding: valueBytes($0), as: UTF8.self) }
  }

  /// The first value of that name, byte for byte.
  package func bytes(of name: HTTPFieldName) -> ArraySlice<UInt8>? {
    fields.first { matches($0, name) }.map(valueBytes)
  }

  /// The only value of that name, byte for byte; `nil` without one, and with several.
  package func onlyBytes(of name: HTTPFieldName) -> ArraySlice<UInt8>? {
    guard let first = fields.firstIndex(where: { matches($0, name) }),
      !fields[(first + 1)...].contains(where: { matches($0, name) })
    else { return nil }
    return valueBytes(fields[first])
  }

  /// All values of that name, in the order of the message.
  package func values(of name: HTTPFieldName) -> [String] {
    fields.filter { matches($0, name) }.map { String(decoding: valueBytes($0), as: UTF8.self) }
  }

  package func contains(_ name: HTTPFieldName) -> Bool { fields.contains { matches($0, name) } }

  /// Whether a comma-separated field (RFC 9110, section 5.6.1) has `token`, in any case.
  package func lists(_ token: StaticString, in name: HTTPFieldName) -> Bool {
    let wanted = "\(token)"
    return fields.contains { field in
      matches(field, name)
        && valueBytes(field).split(separator: UInt8(ascii: ",")).contains {
          HTTPHeaders.equal(HTTPBytes.trimmed($0), wanted.utf8)
        }
    }
  }

  /// Every field as text, for logs of tests and for copying.
  package var all: [(name: String, value: String)] {
    fields.map {
      (
        String(decoding: nameBytes($0), as: UTF8.self),
        String(decoding: valueBytes($0), as: UTF8.self)
      )
    }
  }

  /// For the parsers, which have validated both.
  mutating func append(name: Span<UInt8>, value: Span<UInt8>) {
    name.withUnsafeBufferPointer { name in
      value.withUnsafeBufferPointer { value in append(name: name, value: value) }
    }
  }

  private mutating func append(name: some Collection<UInt8>, value: some Collection<UInt8>) {
    let field = Field(start: wire.count, nameCount: name.count, valueCount: value.count)
    wire.append(contentsOf: name)
    wire.append(HTTPBytes.colon)
    wire.append(HTTPBytes.space)
    wire.append(contentsOf: value)
    wire.append(HTTPBytes.carriageReturn)
    wire.append(HTTPBytes.lineFeed)
    fields.append(field)
    if frames(name) { hasFraming = true }
  }

  /// `Date` is among them, which is the server's own business too.
  private func frames(_ name: some Collection<UInt8>) -> Bool {
    switch name.count {
    case 4: HTTPHeaders.equal(name, "date".utf8)
    case 10: HTTPHeaders.equal(name, "connection".utf8)
    case 14: HTTPHeaders.equal(name, "content-length".utf8)
    case 17: HTTPHeaders.equal(name, "transfer-encoding".utf8)
    default: false
    }
  }

  mutating func reserve(fields count: Int, bytes: Int) {
    fields.reserveCapacity(count)
    wire.reserveCapacity(bytes)
  }

  private func nameBytes(_ field: Field) -> ArraySlice<UInt8> {
    wire[field.start..<field.start + field.nameCount]
  }

  private func valueBytes(_ field: Field) -> ArraySlice<UInt8> {
    wire[field.valueStart..<field.valueStart + field.valueCount]
  }

  private func matches(_ field: Field, _ name: HTTPFieldName) -> Bool {
    guard field.nameCount == name.text.utf8.count else { return false }
    let answer = name.text.utf8.withContiguousStorageIfAvailable { name in
      wire.withUnsafeBufferPointer { wire in
        HTTPHeaders.equal(wire[field.start..<field.start + field.nameCount], name)
      }
    }
    return answer ?? HTTPHeaders.equal(nameBytes(field), name.text.utf8)
  }

  /// Whether `value` begins with `word`, in any case of its letters.
  package static func begins(_ value: ArraySlice<UInt8>, with word: StaticString) -> Bool {
    value.count >= word.utf8CodeUnitCount
      && word.withUTF8Buffer { equal(value.prefix($0.count), $0) }
  }

  static func equal(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Bool {
    left.elementsEqual(right) { HTTPBytes.lowercased($0) == HTTPBytes.lowercased($1) }
  }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (HTTPFieldName, HTTPFieldValue)...) {
    for (name, value) in elements { add(name, value) }
  }
}

extension HTTPHeaders: Equatable {
  /// Same fields in the same order, names without regard to case.
  package static func == (left: Self, right: Self) -> Bool {
    left.fields.count == right.fields.count
      && zip(left.fields, right.fields).allSatisfy {
        equal(left.nameBytes($0), right.nameBytes($1))
          && left.valueBytes($0) == right.valueBytes($1)
      }
  }
}

extension HTTPBytes {
  /// Without the spaces and tabs at both ends.
  package static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var result = bytes
    while let first = result.first, isBlank(first) { result.removeFirst() }
    while let last = result.last, isBlank(last) { result.removeLast() }
    return result
  }
}
