import Crypto
import Glibc

/// Looks for key bytes in all of this process's writable memory, freed memory included.
///
/// What is looked for is kept in a masked form: the search itself must not be what is found. And
/// it is the second half of the bytes: the allocator writes its own notes over the beginning of
/// what was freed, and would hide a key that nobody wiped.
struct MemoryScan {
  private static let mask: UInt8 = 0xa5
  private let masked: [UInt8]

  init(for secret: borrowing Secret) {
    masked = secret.withBytes { bytes in
      bytes.dropFirst(bytes.count / 2).map { $0 ^ Self.mask }
    }
  }

  /// How often the bytes are in memory.
  func count() throws -> Int {
    let memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
    guard memory >= 0 else { throw ScanError.noMemoryFile }
    defer { _ = close(memory) }
    let size = 1 << 20
    // A mapping of its own, so that what was read into it is not looked through again.
    let window = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let window, window != MAP_FAILED else { throw ScanError.noMemoryFile }
    defer { munmap(window, size) }
    let own = UInt(bitPattern: window)..<UInt(bitPattern: window) + UInt(size)

    var found = 0
    for region in try Self.writableRegions() {
      // The kernel may show the window as a part of a larger region.
      for part in [
        region.clamped(to: 0..<own.lowerBound), region.clamped(to: own.upperBound..<UInt.max),
      ] {
        var start = part.lowerBound
        while start < part.upperBound {
          let count = min(size, Int(part.upperBound - start))
          let read = pread(memory, window, count, off_t(bitPattern: start))
          if read > masked.count {
            found += hits(in: UnsafeRawBufferPointer(start: window, count: read))
          }
          // Pieces overlap, so that bytes across their border are seen, and not twice.
          guard count == size else { break }
          start += UInt(count - masked.count + 1)
        }
      }
    }
    return found
  }

  private func hits(in bytes: UnsafeRawBufferPointer) -> Int {
    var hits = 0
    let first = CInt(masked[0] ^ Self.mask)
    var from = 0
    while from + masked.count <= bytes.count {
      guard let base = bytes.baseAddress,
        let hit = memchr(base + from, first, bytes.count - masked.count + 1 - from)
      else { break }
      let at = UnsafeRawPointer(hit) - base
      if (0..<masked.count).allSatisfy({ bytes[at + $0] ^ Self.mask == masked[$0] }) { hits += 1 }
      from = at + 1
    }
    return hits
  }

  private static func writableRegions() throws -> [Range<UInt>] {
    guard let file = fopen("/proc/self/maps", "re") else { throw ScanError.noMemoryFile }
    defer { fclose(file) }
    var regions: [Range<UInt>] = []
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while getline(&line, &capacity, file) > 0, let text = line.map({ String(cString: $0) }) {
      let parts = text.split(separator: " ")
      guard parts.count > 1, parts[1].hasPrefix("rw") else { continue }
      let bounds = parts[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      if bounds.count == 2 { regions.append(bounds[0]..<bounds[1]) }
    }
    return regions
  }

  enum ScanError: Error { case noMemoryFile }
}
