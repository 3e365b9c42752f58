import COpenSSL

/// Key bytes: one owner, never copied by accident, wiped when the owner lets go.
///
/// The bytes cannot be printed, reflected or compared with `==`; `withBytes` is the only way in.
package struct Secret: ~Copyable {
  private let memory: UnsafeMutableRawBufferPointer

  /// A secret of `count` bytes that `fill` writes. Before `fill` they are zero.
  ///
  /// When `fill` throws, the memory is wiped and given back.
  package init<Failure: Error>(
    count: Int, filling fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    // An alignment of 16 suits whatever the library loads into vector registers.
    memory = .allocate(byteCount: count, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    // Complete from here on: when `fill` throws, `deinit` wipes and gives the memory back.
    try fill(memory)
  }

  /// A copy of `bytes`. What they were copied from is the caller's to wipe.
  package init(copying bytes: some Collection<UInt8>) {
    self.init(count: bytes.count) { memory in memory.copyBytes(from: bytes) }
  }

  /// `count` fresh bytes from the library's generator for private values.
  package static func random(count: Int) -> Secret {
    Secret(count: count) { memory in SecureRandom.fill(memory, private: true) }
  }

  deinit {
    Self.wipe(memory)
    memory.deallocate()
  }

  package var count: Int { memory.count }

  /// The bytes, for one call. The pointer must not outlive `body`, nor the bytes be copied out
  /// of it into anything but another secret.
  package borrowing func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(memory))
  }

  /// Another owner of the same bytes, for the few places that need two.
  package borrowing func duplicate() -> Secret {
    withBytes { bytes in Secret(copying: bytes) }
  }

  /// Overwrites an array that held something secret. Only the copy that `bytes` refers to is
  /// reached: the caller must be its one owner.
  package static func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { memory in wipe(memory) }
    bytes.removeAll()
  }

  // A plain loop may be left out by the optimizer, since nobody reads the memory afterwards.
  private static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
    OPENSSL_cleanse(memory.baseAddress, memory.count)
  }
}

// The pointer has one owner and never leaves `withBytes`, and the bytes do not change between the
// end of `init` and `deinit`: threads can only read them at the same time.
extension Secret: @unchecked Sendable {}
