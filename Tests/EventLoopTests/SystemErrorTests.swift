import EventLoop
import Glibc
import Testing

@Suite struct SystemErrorTests {
  @Test func carriesTheCallAndItsErrno() {
    #expect(throws: SystemError(call: "open", code: ENOENT)) {
      _ = try systemCall("open") { Glibc.open("/nonexistent/file", O_RDONLY) }
    }
  }
}
