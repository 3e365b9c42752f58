import CLinux
import Glibc

/// Shared memory behind a descriptor, for secrets that another process of this program takes over.
///
/// memfd_secret(2) where the kernel has it, a plain memfd otherwise: neither is ever on a disk.
package struct SecretMemory: ~Copyable {
  package let descriptor: OwnedDescriptor
  private let mapping: UnsafeMutableRawBufferPointer

  /// - Parameter size: in bytes; fixed for its life.
  /// - Throws: ENOMEM where there is none.
  package init(size: Int) throws(SystemError) {
    do throws(SystemError) {
      // ENOSYS: an older kernel, or one that was started without it. EPERM: a filter. EAGAIN:
      // over the limit of locked memory (RLIMIT_MEMLOCK).
      let number = try systemCall("memfd_secret") { clinux_memfd_secret() }
      let descriptor = OwnedDescriptor(adopting: number)
      // It can be done once (memfd_secret(2)): nobody can make it shorter under a reader.
      _ = try systemCall("ftruncate") { ftruncate(number, size) }
      mapping = try Self.map(descriptor, size: size)
      self.descriptor = descriptor
    } catch {
      let number = try systemCall("memfd_create") { clinux_memfd_create("secrets") }
      let descriptor = OwnedDescriptor(adopting: number)
      _ = try systemCall("ftruncate") { ftruncate(number, size) }
      _ = try systemCall("fcntl") { clinux_seal_size(number) }
      mapping = try Self.map(descriptor, size: size)
      self.descriptor = descriptor
    }
  }

  /// Whether a descriptor that came from outside is memory as this type makes it, whose size
  /// nobody can change any more, and not longer than `limit` bytes.
  package static func isSecret(
    _ descriptor: borrowing OwnedDescriptor, atMost limit: Int
  ) -> Bool {
    descriptor.withNumber { number in
      var status = stat()
      guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        status.st_nlink == 0 || clinux_is_secret_memory(number) == 1,
        (1...limit).contains(Int(status.st_size))
      else { return false }
      return clinux_is_secret_memory(number) == 1 || clinux_has_sealed_size(number) == 1
    }
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
