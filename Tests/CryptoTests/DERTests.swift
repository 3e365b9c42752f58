import Crypto
import Testing

@Suite struct DERTests {
  private func isOne(_ bytes: [UInt8], depth: Int = 4, values: Int = 10) -> Bool {
    DER.isOneValue(bytes[...], depthLimit: depth, valueLimit: values)
  }

  @Test func readsValuesInOrder() {
    var reader = DERReader([0x02, 0x01, 0x05, 0x30, 0x02, 0x05, 0x00])
    let number = reader.next(DERTag.integer)
    #expect(number?.contents == [5])
    #expect(number?.encoding == [2, 1, 5])
    let another = reader.next(DERTag.integer)
    #expect(another == nil)
    let sequence = reader.next()
    #expect(sequence?.isConstructed == true)
    #expect(reader.isAtEnd)
    let end = reader.next()
    #expect(end == nil)
  }

  @Test(arguments: [0, 127, 128, 255, 256, 65_535, 65_536])
  func readsLengths(_ count: Int) throws {
    let length: [UInt8] =
      switch count {
      case ..<128: [UInt8(count)]
      case ..<256: [0x81, UInt8(count)]
      case ..<65_536: [0x82, UInt8(count >> 8), UInt8(count & 0xff)]
      default: [0x83, UInt8(count >> 16), UInt8(count >> 8 & 0xff), UInt8(count & 0xff)]
      }
    let value = [0x04] + length + [UInt8](repeating: 7, count: count)
    var reader = DERReader(value)
    let whole = reader.next()
    #expect(whole?.contents.count == count)
    #expect(reader.isAtEnd)
    var short = DERReader(Array(value.dropLast()))
    let cut = short.next()
    #expect(cut == nil)
  }

  @Test(
    arguments: [
      [0x04, 0x81, 0x01, 0], [0x04, 0x82, 0x00, 0x80] + [UInt8](repeating: 0, count: 128),
      [0x30, 0x80, 0, 0], [0x04, 0x84, 0, 0, 0, 1, 0], [0x04, 0xff], [0x04], [], [0x1f, 0x1f, 0],
      [0x04, 0x83, 0xff, 0xff, 0xff],
    ] as [[UInt8]])
  func refusesOtherEncodings(_ bytes: [UInt8]) {
    var reader = DERReader(bytes)
    let value = reader.next()
    #expect(value == nil)
  }

  @Test func aWholeValueIsWholeDownToItsLeaves() {
    #expect(isOne([0x30, 0x05, 0x30, 0x03, 0x02, 0x01, 0x00]))
    #expect(!isOne([0x30, 0x05, 0x30, 0x03, 0x02, 0x02, 0x00]))
    #expect(!isOne([0x30, 0x00, 0x00]))
    // What is inside of an octet string is not looked at.
    #expect(isOne([0x04, 0x02, 0x30, 0x7f]))
  }

  @Test func depthAndNumberAreLimited() {
    let three: [UInt8] = [0x30, 0x04, 0x30, 0x02, 0x30, 0x00]
    #expect(isOne(three, depth: 3))
    #expect(!isOne(three, depth: 2))
    #expect(isOne(three, values: 3))
    #expect(!isOne(three, values: 2))
    #expect(!isOne(three, values: 0))
  }

  @Test(
    arguments: [
      ([0x00], 0), ([0x7f], 127), ([0x00, 0x80], 128), ([0x00, 0xff], 255), ([0x01, 0x00], 256),
      ([0x00, 0xff, 0xff], 65_535),
    ] as [([UInt8], Int)])
  func readsUnsignedNumbers(_ contents: [UInt8], _ value: Int) {
    #expect(DER.unsigned(contents[...], upTo: 65_535) == value)
    #expect(DER.unsigned(contents[...], upTo: value) == value)
    #expect(DER.unsigned(contents[...], upTo: value - 1) == nil)
  }

  @Test(
    arguments: [
      [], [0x80], [0xff], [0x00, 0x00], [0x00, 0x7f], [0x01, 0, 0, 0, 0, 0],
    ] as [[UInt8]])
  func refusesOtherNumbers(_ contents: [UInt8]) {
    #expect(DER.unsigned(contents[...], upTo: .max) == nil)
  }
}
