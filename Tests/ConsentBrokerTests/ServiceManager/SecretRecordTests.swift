import ConsentBroker
import EventLoop
import Testing

@Suite struct SecretRecordTests {
  @Test func isEmptyUntilWritten() throws {
    let record = try SecretRecord(capacity: 100)
    let (value, version) = (record.read(), record.version)
    #expect(value == nil)
    #expect(version == 0)
  }

  @Test func holdsTheLastValue() throws {
    var record = try SecretRecord(capacity: 100)
    for version in 1...5 {
      let value = [UInt8](repeating: UInt8(version), count: version * 20)
      let written = record.write(value, version: UInt64(version))
      let read = record.read()
      #expect(written)
      #expect(read == value)
    }
  }

  @Test func refusesOneByteMoreThanItsCapacity() throws {
    var record = try SecretRecord(capacity: 100)
    let fits = record.write([UInt8](repeating: 1, count: 100), version: 1)
    let tooLong = record.write([UInt8](repeating: 2, count: 101), version: 2)
    let read = record.read()
    #expect(fits)
    #expect(!tooLong)
    #expect(read == [UInt8](repeating: 1, count: 100))
  }

  @Test func survivesInTheDescriptorAlone() throws {
    var record = try SecretRecord(capacity: 64)
    _ = record.write(Array("first".utf8), version: 1)
    _ = record.write(Array("second".utf8), version: 2)
    let copy = try record.memory.descriptor.duplicate()
    var heir = try SecretRecord(adopting: copy)
    let (inherited, version) = (heir.read(), heir.version)
    #expect(inherited == Array("second".utf8))
    #expect(version == 2)
    _ = heir.write(Array("third".utf8), version: 3)
    let read = record.read()
    #expect(read == Array("third".utf8))
  }

  @Test(arguments: 0..<60)
  func aWriteThatWasCutShortLeavesTheFormerValue(damaged offset: Int) throws {
    var record = try SecretRecord(capacity: 16)
    _ = record.write(Array("former".utf8), version: 1)
    _ = record.write(Array("latter".utf8), version: 2)
    // The second write went to the second slot; a write is a row of stores, any of which may be
    // the last before a kill.
    let slot = record.memory.size / 2
    record.memory.withBytes { $0[slot + offset] ^= 0xff }
    let expected = offset < 48 + 6 ? "former" : "latter"
    let read = record.read()
    #expect(read == Array(expected.utf8))
  }

  @Test func leavesNothingWhenWiped() throws {
    var record = try SecretRecord(capacity: 64)
    _ = record.write(Array("a-secret".utf8), version: 1)
    _ = record.write(Array("b-secret".utf8), version: 2)
    record.wipe()
    let read = record.read()
    let empty = record.memory.withBytes { bytes in bytes.allSatisfy { $0 == 0 } }
    #expect(read == nil)
    #expect(empty)
  }
}
