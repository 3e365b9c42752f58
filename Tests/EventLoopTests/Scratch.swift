import Glibc
import Testing

/// An empty directory for one test, removed with all that is in it.
final class ScratchDirectory: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/loop-test-XXXXXX".utf8CString)
    path = String(cString: try #require(mkdtemp(&template)))
  }

  func file(_ name: String) -> String { path + "/" + name }

  deinit {
    guard let directory = opendir(path) else { return }
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      _ = unlink(path + "/" + name)
      _ = rmdir(path + "/" + name)
    }
    closedir(directory)
    rmdir(path)
  }
}
