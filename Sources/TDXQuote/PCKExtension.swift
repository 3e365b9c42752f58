import Crypto

/// What Intel wrote into a platform's PCK certificate (specification, section 4).
struct PCKExtension {
  /// 1.2.840.113741.1.13.1, the contents of the DER value; the fields' identifiers begin with it.
  private static let identifier: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf8, 0x4d, 0x01, 0x0d, 0x01]

  /// Sixteen SVNs.
  let components: [UInt8]
  let pceSVN: Int
  /// 2 bytes.
  let pceID: [UInt8]
  /// 6 bytes.
  let fmspc: [UInt8]

  /// - Throws: `pck-extension`.
  init(of certificate: borrowing X509Certificate) throws(QuoteFailure) {
    let found = certificate.extensions(Self.identifier)
    guard found.count == 1, let contents = found.first,
      let fields = Self.pairs(in: contents[...], below: Self.identifier),
      Self.octets(fields, 1, count: 16) != nil,  // PPID
      let tcb = Self.single(fields, 2),
      let levels = Self.pairs(in: tcb.encoding, below: Self.identifier + [2]),
      let pceSVN = Self.number(levels, 17, upTo: Int(UInt16.max)),
      Self.octets(levels, 18, count: 16) != nil,  // CPUSVN, which says the same as the components
      let pceID = Self.octets(fields, 3, count: 2), let fmspc = Self.octets(fields, 4, count: 6)
    else { throw .pckExtension }
    var components: [UInt8] = []
    for index in 1...16 {
      guard let svn = Self.number(levels, UInt8(index), upTo: 255) else { throw .pckExtension }
      components.append(UInt8(svn))
    }
    self.components = components
    self.pceSVN = pceSVN
    self.pceID = pceID
    self.fmspc = fmspc
  }

  /// A field of the sequence: the last number of its identifier, and its value.
  private typealias Field = (last: UInt8, value: DERElement)

  /// The pairs of identifier and value in one sequence. Identifiers that are not directly below
  /// `parent` are left out.
  private static func pairs(in bytes: ArraySlice<UInt8>, below parent: [UInt8]) -> [Field]? {
    var outer = DERReader(bytes)
    guard let sequence = outer.next(DERTag.sequence), outer.isAtEnd else { return nil }
    var fields: [Field] = []
    var reader = DERReader(sequence.contents)
    while !reader.isAtEnd {
      guard let entry = reader.next(DERTag.sequence) else { return nil }
      var pair = DERReader(entry.contents)
      guard let identifier = pair.next(DERTag.objectIdentifier), let value = pair.next(),
        pair.isAtEnd
      else { return nil }
      if identifier.contents.dropLast().elementsEqual(parent), let last = identifier.contents.last {
        fields.append((last, value))
      }
    }
    return fields
  }

  /// The value of a field that is there once.
  private static func single(_ fields: [Field], _ last: UInt8) -> DERElement? {
    let values = fields.filter { $0.last == last }
    return values.count == 1 ? values[0].value : nil
  }

  private static func octets(_ fields: [Field], _ last: UInt8, count: Int) -> [UInt8]? {
    guard let value = single(fields, last), value.tag == DERTag.octetString,
      value.contents.count == count
    else { return nil }
    return Array(value.contents)
  }

  private static func number(_ fields: [Field], _ last: UInt8, upTo limit: Int) -> Int? {
    guard let value = single(fields, last), value.tag == DERTag.integer else { return nil }
    return DER.unsigned(value.contents, upTo: limit)
  }
}
