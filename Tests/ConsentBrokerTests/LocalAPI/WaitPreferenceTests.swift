import Testing

@testable import ConsentBroker

@Suite struct WaitPreferenceTests {
  @Test(arguments: [
    (["wait=60"], 60),
    (["wait=0"], 0),
    (["Wait=60"], 60),
    (["wait = 60"], 60),
    (["wait=\"60\""], 60),
    (["wait=300"], 300),
    (["wait=301"], 300),
    (["wait=99999999999999999999999"], 300),
    (["respond-async, wait=10"], 10),
    (["respond-async", "wait=10"], 10),
    (["wait=10, wait=20"], 10),
    (["wait=10; foo=bar"], 10),
    (["foo=\"a, wait=5\", wait=7"], 7),
    (["foo=\"a\\\", wait=5\", wait=7"], 7),
    (["handling=lenient;wait=3, wait=4"], 4),
  ]) func readsTheFirstWait(_ values: [String], _ seconds: Int) {
    #expect(WaitPreference.seconds(in: values, longest: 300) == seconds)
  }

  @Test(arguments: [
    [], [""], ["wait"], ["wait="], ["wait=-1"], ["wait=+5"], ["wait=5s"], ["wait=1.5"],
    ["wait=0x10"], ["wait=１０"], ["waiting=5"], ["foo=wait=5"], ["wait=x, wait=5"], ["\"wait=5\""],
  ]) func neverFailsOverWhatItCannotRead(_ values: [String]) {
    #expect(WaitPreference.seconds(in: values, longest: 300) == nil)
  }
}
