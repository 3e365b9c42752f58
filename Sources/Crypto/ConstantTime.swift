import COpenSSL

/// The one place where secrets are compared: the time taken says nothing about where they differ.
package enum ConstantTime {
  /// Whether both are the same bytes. Their lengths are no secret.
  package static func equal(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool
  {
    left.withMemory { left in right.withMemory { right in equal(left, right) } }
  }

  package static func equal(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    left.withUnsafeBytes { left in right.withUnsafeBytes { right in equal(left, right) } }
  }

  package static func equal(_ left: borrowing Secret, _ right: borrowing Secret) -> Bool {
    left.withBytes { left in right.withBytes { right in equal(left, right) } }
  }

  /// Whether every byte is zero. Looks at all of them in any case.
  package static func isZero(_ secret: borrowing Secret) -> Bool {
    secret.withBytes { bytes in bytes.reduce(0) { seen, byte in seen | byte } == 0 }
  }

  private static func equal(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
  ) -> Bool {
    guard left.count == right.count else { return false }
    // An empty buffer may have no address, and the C function wants one.
    guard let first = left.baseAddress, let second = right.baseAddress else { return true }
    return CRYPTO_memcmp(first, second, left.count) == 0
  }
}
