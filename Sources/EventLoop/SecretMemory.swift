import CLinux
import Glibc

/// Shared memory behind a descriptor, for secrets that another process of this program takes over.
///
/// memfd_secret(2) where the kernel has it, a plain memfd otherwise: neither is ever on a disk.
package struct SecretMemory: ~Copyable {
  package let descriptor: OwnedDescriptor
  private let mapping: UnsafeMutableRawBufferPointer

  /// - Parameter size: in bytes; fixed for its life.
  /// - Throws: ENOMEM or EAGAIN over the limit of locked memory (`RLIMIT_MEMLOCK`).
  package init(size: Int) throws(SystemError) {
    let descriptor = try Self.create()
    try descriptor.withNumber { (number) throws(SystemError) in
      _ = try systemCall("ftruncate") { ftruncate(number, size) }
    }
    mapping = try Self.map(descriptor, size: size)
    self.descriptor = descriptor
  }

  /// Memory that a former process made, at the size that it has.
  package init(adopting descriptor: consuming OwnedDescriptor) throws(SystemError) {
    let size = try descriptor.withNumber { (number) throws(SystemError) -> Int in
      var information = stat()
      _ = try systemCall("fstat") { fstat(number, &information) }
      return Int(information.st_size)
    }
    guard size > 0 else { throw SystemError(call: "mmap", code: EINVAL) }
    mapping = try Self.map(descriptor, size: size)
    self.descriptor = descriptor
  }

  // The pages live on in other holders of the descriptor; here only the view ends.
  deinit { munmap(mapping.baseAddress, mapping.count) }

  package var size: Int { mapping.count }

  package borrowing func withBytes<R, E: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
  ) throws(E) -> R { try body(mapping) }

  private static func create() throws(SystemError) -> OwnedDescriptor {
    let secret = clinux_memfd_secret()
    if secret >= 0 { return OwnedDescriptor(adopting: secret) }
    // ENOSYS: an older kernel, or one that was started without it. EPERM: a filter.
    let number = try systemCall("memfd_create") { clinux_memfd_create("secrets") }
    return OwnedDescriptor(adopting: number)
  }

  private static func map(
    _ descriptor: borrowing OwnedDescriptor, size: Int
  ) throws(SystemError) -> UnsafeMutableRawBufferPointer {
    let base = descriptor.withNumber { number in
      mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, number, 0)
    }
    guard let base, base != MAP_FAILED else { throw SystemError(call: "mmap", code: errno) }
    // Kept out of dumps also where it is a plain memfd.
    madvise(base, size, MADV_DONTDUMP)
    return UnsafeMutableRawBufferPointer(start: base, count: size)
  }
}
