import EventLoop
import Testing

@Suite struct ProcessThreadsTests {
  @Test func countsWhatTheKernelLists() throws {
    // Others come and go meanwhile, in a process that runs tests.
    let threads = try Files.names(in: "/proc/self/task").count
    let count = try #require(ProcessThreads.count)
    #expect(count > 0 && abs(count - threads) < 32)
  }
}
