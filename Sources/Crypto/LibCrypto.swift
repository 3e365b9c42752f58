import COpenSSL

/// Runs one operation of libcrypto with an empty error queue, and leaves the queue empty.
///
/// The queue belongs to the thread and is never emptied by itself: an entry that one operation
/// leaves behind makes a later one look failed (libcurl asks the queue after each TLS read).
@inline(__always)
package func libcrypto<Result: ~Copyable, Failure: Error>(
  _ operation: () throws(Failure) -> Result
) throws(Failure) -> Result {
  emptyErrorQueue()
  defer { emptyErrorQueue() }
  return try operation()
}

/// Emptying wipes every place of the queue, which takes longer than most operations: only where
/// there is something in it.
@usableFromInline
func emptyErrorQueue() { if ERR_peek_error() != 0 { ERR_clear_error() } }

/// Stops the process when a call fails that no input can make fail: memory has run out, or the
/// library has no such algorithm. To go on without the cipher or the random bytes is no option.
@inline(__always)
func mustSucceed(_ result: CInt, _ call: StaticString) {
  precondition(result == 1, "libcrypto: \(call) failed")
}

/// As above, for calls that answer a new object.
@inline(__always)
func mustExist(_ object: OpaquePointer?, _ call: StaticString) -> OpaquePointer {
  guard let object else { preconditionFailure("libcrypto: \(call) failed") }
  return object
}

extension Collection<UInt8> {
  /// The elements as one piece of memory, copied only when they do not lie together.
  /// The pointer must not outlive `body`.
  func withMemory<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    if let result = withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) {
      return result
    }
    return Array(self).withUnsafeBytes(body)
  }
}

extension UnsafeRawBufferPointer {
  /// As the C functions want it.
  var octets: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

extension UnsafeMutableRawBufferPointer {
  /// As the C functions want it.
  var octets: UnsafeMutablePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}
