import EventLoop
import Testing

@Suite struct ProcessGuardTests {
  @Test(
    arguments: [
      ("Name:\tx\nTracerPid:\t0\nUid:\t0\n", nil), ("TracerPid:\t4711\n", 4711), ("", nil),
      ("TracerPid:\t\n", nil),
    ] as [(String, Int32?)])
  func readsWhoTraces(_ status: String, _ tracer: Int32?) {
    #expect(ProcessGuard.tracer(inStatus: status) == tracer)
  }
}
