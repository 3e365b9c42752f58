import EventLoop

/// The port of the last run, where the kernel chose it: kept beside the record of requests, whose
/// pages have been told of it.
struct LastPort: Sendable {
  private let path: String

  static let fileName = "callback-port"

  init(in directory: String) { path = "\(directory)/\(Self.fileName)" }

  /// `nil` where there is none, and where the file holds something else.
  func read() -> UInt16? {
    guard let bytes = try? Files.read(path, limit: 16) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    return ConfigurationKey.port(String(text.prefix { $0 != "\n" })).flatMap { $0 == 0 ? nil : $0 }
  }

  func write(_ port: UInt16) throws(SystemError) {
    try Files.replace(path, with: Array("\(port)\n".utf8), mode: 0o600)
  }
}
