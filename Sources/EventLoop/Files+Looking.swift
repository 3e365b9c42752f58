import Glibc

extension Files {
  /// The names in a directory without `.` and `..`, in no order. Several system calls.
  package static func names(in path: String) throws(SystemError) -> [String] {
    try check(path, "opendir")
    guard let directory = opendir(path) else { throw SystemError(call: "opendir", code: errno) }
    return try names(readingAndClosing: directory)
  }

  static func names(readingAndClosing directory: OpaquePointer) throws(SystemError) -> [String] {
    defer { closedir(directory) }
    var names: [String] = []
    // readdir(3): "To distinguish end of stream from an error, set errno to zero before".
    errno = 0
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw SystemError(call: "readdir", code: errno) }
    return names
  }

  /// How many bytes an unprivileged process may still write to the file system of `path`; `nil`
  /// where it does not say.
  package static func room(at path: String) throws(SystemError) -> Int64? {
    try check(path, "statvfs")
    var status = statvfs()
    _ = try retrying("statvfs") { statvfs(path, &status) }
    guard status.f_blocks > 0 else { return nil }
    let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(
      by: UInt64(status.f_frsize))
    return overflow ? .max : Int64(clamping: bytes)
  }

  /// What a symbolic link says.
  package static func linkTarget(_ path: String) throws(SystemError) -> String {
    try check(path, "readlink")
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = try systemCall("readlink") { CInt(readlink(path, &bytes, bytes.count)) }
    return String(decoding: bytes[..<Int(count)].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The first bytes of a file, fewer where it is shorter. Some system calls.
  ///
  /// - Throws: `EINVAL` for what is no file: a pipe would be waited for.
  package static func start(of path: String, count: Int) throws(SystemError) -> [UInt8] {
    let file = try open(path, .read)
    try file.checkIsRegular()
    let number = file.withNumber { $0 }
    var bytes = [UInt8](repeating: 0, count: count)
    let read = try retrying("read") { CInt(Glibc.read(number, &bytes, count)) }
    return Array(bytes[..<Int(read)])
  }
}
