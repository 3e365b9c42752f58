import EventLoop
import FoundationEssentials
import Glibc

/// A directory of its own for one test, gone with the value.
struct TemporaryDirectory: ~Copyable {
  let path: String

  init() throws {
    let root = (getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")
    var template = Array("\(root)/broker-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError(call: "mkdtemp", code: errno) }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

func names(in path: String) throws -> [String] { try Files.names(in: path).sorted() }

func mode(of path: String) throws -> UInt32 { try Files.status(of: path).mode & 0o777 }

func write(_ text: String, to path: String) throws {
  let file = try Files.open(path, .write, create: .ifMissing(mode: 0o600))
  try file.truncate(to: 0)
  try file.writeAll(Array(text.utf8))
}

func content(of path: String) throws -> [UInt8] { try Files.read(path, limit: 1 << 26) }
