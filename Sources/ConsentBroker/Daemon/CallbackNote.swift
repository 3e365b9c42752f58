import EventLoop

/// The file `callback` in the runtime directory: where the callback listens, a line a family, for
/// programs that cannot ask `/v1/status`.
struct CallbackNote: Sendable {
  let path: String
  private let text: [UInt8]

  init(in directory: String, _ address: CallbackAddress) {
    path = directory + "/callback"
    let lines = [address.ipv4, address.ipv6].compactMap(\.self)
    text = Array(lines.map { $0 + "\n" }.joined().utf8)
  }

  func write() throws(SystemError) { try Files.replace(path, with: text, mode: 0o600) }

  /// Removes it unless another daemon has written its own since.
  func remove() {
    guard let now = try? Files.read(path, limit: 4096), now == text else { return }
    try? Files.unlink(path)
  }
}
