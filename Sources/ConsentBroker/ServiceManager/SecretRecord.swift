import Crypto
package import EventLoop
import Glibc

/// One value in memory that outlives the process, whole at every moment.
///
/// The memory has two slots. A write goes to the slot that does not hold the value; the value is
/// the valid slot with the higher generation. So a process that is killed in the middle of a
/// write leaves the former value.
///
///     slot = generation(8) || length(8) || SHA-256 of both and the bytes(32) || bytes
package struct SecretRecord: ~Copyable {
  package let memory: SecretMemory
  private var generation: UInt64

  private static let head = 16
  private static let header = head + SHA256.size

  /// - Parameter capacity: the longest value in bytes.
  package init(capacity: Int) throws(SystemError) {
    memory = try SecretMemory(size: Self.size(capacity))
    generation = 0
  }

  /// The record that a former process left.
  package init(adopting descriptor: consuming OwnedDescriptor) throws(SystemError) {
    memory = try SecretMemory(adopting: descriptor)
    generation = 0
    generation = newest?.generation ?? 0
  }

  /// Bytes of the memory for values of `capacity` bytes.
  package static func size(_ capacity: Int) -> Int { 2 * (capacity + header) }

  package var capacity: Int { memory.size / 2 - Self.header }

  /// The value last written; `nil` when none was, or none is whole.
  package borrowing func read() -> [UInt8]? { newest?.bytes }

  /// Grows with each write; tells which of two records is the later one.
  package var version: UInt64 { generation }

  /// - Parameter version: greater than that of any record that this one replaces.
  /// - Returns: false when `bytes` do not fit.
  package mutating func write(_ bytes: [UInt8], version: UInt64) -> Bool {
    guard bytes.count <= capacity else { return false }
    let target = newest.map { 1 - $0.slot } ?? 0
    let size = memory.size / 2
    var slot = withUnsafeBytes(of: version.littleEndian) { [UInt8]($0) }
    slot += withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { [UInt8]($0) }
    let digest = SHA256.hash(slot + bytes)
    slot += digest
    slot += bytes
    memory.withBytes { all in
      let place = UnsafeMutableRawBufferPointer(rebasing: all[target * size..<(target + 1) * size])
      place.copyBytes(from: slot)
      if let rest = place.baseAddress { explicit_bzero(rest + slot.count, size - slot.count) }
    }
    slot.withUnsafeMutableBytes { if let base = $0.baseAddress { explicit_bzero(base, $0.count) } }
    generation = version
    return true
  }

  /// Overwrites both slots: nobody who still holds the descriptor reads anything.
  package mutating func wipe() {
    memory.withBytes { if let base = $0.baseAddress { explicit_bzero(base, $0.count) } }
    generation = 0
  }

  private var newest: (slot: Int, generation: UInt64, bytes: [UInt8])? {
    let found = [slot(0), slot(1)].compactMap { $0 }
    return found.max { $0.generation < $1.generation }
  }

  private borrowing func slot(_ index: Int) -> (slot: Int, generation: UInt64, bytes: [UInt8])? {
    let size = memory.size / 2
    return memory.withBytes { all in
      let place = UnsafeRawBufferPointer(rebasing: all[index * size..<(index + 1) * size])
      guard place.count > Self.header else { return nil }
      let generation = UInt64(littleEndian: place.loadUnaligned(as: UInt64.self))
      let length = UInt64(littleEndian: place.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      guard generation > 0, length <= UInt64(place.count - Self.header) else { return nil }
      let bytes = [UInt8](place[Self.header..<Self.header + Int(length)])
      let digest = SHA256.hash([UInt8](place[0..<Self.head]) + bytes)
      guard digest.elementsEqual(place[Self.head..<Self.header]) else { return nil }
      return (index, generation, bytes)
    }
  }
}
