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
  /// The place of the byte that is searched for first: one that is rare in memory, which is full
  /// of zeros, of letters and of the high bytes of addresses.
  private let rarest: Int

  init(for secret: borrowing Secret) {
    (masked, rarest) = secret.withBytes { bytes in
      let half = bytes.dropFirst(bytes.count / 2)
      return (
        half.map { $0 ^ Self.mask },
        half.firstIndex { (0x80..<0xfe).contains($0) }
          .map { $0 - half.startIndex } ?? 0
      )
    }
  }

  /// How often the bytes are in memory.
  func count() throws(ScanError) -> Int {
    let window = try ScanWindow()
    var found = 0
    for region in try Self.writableRegions() {
      // The kernel may show the window as a part of a larger region.
      for part in [
        region.clamped(to: 0..<window.range.lowerBound),
        region.clamped(to: window.range.upperBound..<UInt.max),
      ] {
        var start = part.lowerBound
        while start < part.upperBound {
          let count = min(ScanWindow.size, Int(part.upperBound - start))
          if window.isInMemory(start, count) {
            found += window.withBytes(at: start, count) { hits(in: $0) }
          }
          // Pieces overlap, so that bytes across their border are seen, and not twice.
          guard count == ScanWindow.size else { break }
          start += UInt(count - masked.count + 1)
        }
      }
    }
    return found
  }

  private func hits(in bytes: UnsafeRawBufferPointer) -> Int {
    guard let base = bytes.baseAddress, bytes.count >= masked.count else { return 0 }
    let rare = CInt(masked[rarest] ^ Self.mask)
    let last = bytes.count - masked.count + rarest
    var (hits, from) = (0, rarest)
    while from <= last, let hit = memchr(base + from, rare, last - from + 1) {
      let at = UnsafeRawPointer(hit) - base
      if isHit(base + at - rarest) { hits += 1 }
      from = at + 1
    }
    return hits
  }

  private func isHit(_ place: UnsafeRawPointer) -> Bool {
    for index in masked.indices {
      let byte = place.load(fromByteOffset: index, as: UInt8.self)
      if byte ^ Self.mask != masked[index] { return false }
    }
    return true
  }

  private static func writableRegions() throws(ScanError) -> [Range<UInt>] {
    guard let file = fopen("/proc/self/maps", "re") else { throw .noMemoryFile }
    defer { fclose(file) }
    var regions: [Range<UInt>] = []
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while getline(&line, &capacity, file) > 0, let text = line.map({ String(cString: $0) }) {
      let parts = text.split(separator: " ")
      guard parts.count > 1, parts[1].hasPrefix("rw") else { continue }
      let bounds = parts[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      guard bounds.count == 2 else { continue }
      // The list is read in pieces: a mapping that changes in between is told once more.
      let start = max(bounds[0], regions.last?.upperBound ?? 0)
      if start < bounds[1] { regions.append(start..<bounds[1]) }
    }
    return regions
  }
}

enum ScanError: Error { case noMemoryFile }

/// Where the process's memory is read to: a mapping of its own, so that what was read is not
/// looked through again.
struct ScanWindow: ~Copyable {
  static let size = 1 << 20
  private let pageSize = UInt(sysconf(CInt(_SC_PAGESIZE)))

  private let memory: CInt
  private let pages: CInt
  private let place: UnsafeMutableRawPointer

  init() throws(ScanError) {
    let memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
    let pages = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)
    let place = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard memory >= 0, pages >= 0, let place, place != MAP_FAILED else { throw .noMemoryFile }
    (self.memory, self.pages, self.place) = (memory, pages, place)
  }

  deinit {
    munmap(place, Self.size)
    _ = close(memory)
    _ = close(pages)
  }

  var range: Range<UInt> { UInt(bitPattern: place)..<UInt(bitPattern: place) + UInt(Self.size) }

  /// Whether any of those pages exists. Most of the address space was never touched, and to read
  /// it would make it exist.
  func isInMemory(_ start: UInt, _ count: Int) -> Bool {
    let (first, last) = (start / pageSize, (start + UInt(count) - 1) / pageSize)
    var entries = [UInt64](repeating: 0, count: Int(last - first) + 1)
    let size = entries.count * 8
    guard pread(pages, &entries, size, off_t(first * 8)) == size else { return true }
    // Bit 63: present; bit 62: swapped out.
    return entries.contains { $0 >> 62 != 0 }
  }

  func withBytes(at start: UInt, _ count: Int, _ body: (UnsafeRawBufferPointer) -> Int) -> Int {
    let read = pread(memory, place, count, off_t(bitPattern: start))
    return read > 0 ? body(UnsafeRawBufferPointer(start: place, count: read)) : 0
  }
}
