import Crypto
import Testing

@Suite struct UnixTimeTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("2026-11-30T10:20:30Z", 1_796_034_030),
    ("2000-02-29T23:59:59Z", 951_868_799), ("2000-03-01T00:00:00Z", 951_868_800),
    ("2100-02-28T00:00:00Z", 4_107_456_000), ("1969-12-31T23:59:59Z", -1),
    ("9999-12-31T23:59:59Z", 253_402_300_799), ("0000-01-01T00:00:00Z", -62_167_219_200),
  ])
  func readsISODates(_ text: String, _ seconds: Int64) {
    #expect(UnixTime.iso8601(text.utf8) == seconds)
  }

  @Test(arguments: [
    "", "2026-11-30", "2026-11-30T10:20:30", "2026-11-30T10:20:30z", "2026-11-30 10:20:30Z",
    "2026-11-30T10:20:30.0Z", "2026-11-30T10:20:30+00:00", "26-11-30T10:20:30Z",
    "2026-00-30T10:20:30Z", "2026-13-30T10:20:30Z", "2026-11-00T10:20:30Z", "2026-11-31T10:20:30Z",
    "2026-02-29T10:20:30Z", "2100-02-29T10:20:30Z", "2026-11-30T24:20:30Z", "2026-11-30T10:60:30Z",
    "2026-11-30T10:20:60Z", "2026-1a-30T10:20:30Z", "-026-11-30T10:20:30Z", "2026-11-30T10:20:30ZZ",
  ])
  func refusesOtherDates(_ text: String) { #expect(UnixTime.iso8601(text.utf8) == nil) }

  @Test(arguments: [
    ("700101000000Z", 0), ("491231235959Z", 2_524_607_999), ("500101000000Z", -631_152_000),
    ("991231235959Z", 946_684_799),
  ])
  func readsUTCTimes(_ text: String, _ seconds: Int64) {
    #expect(UnixTime.utcTime(text.utf8) == seconds)
  }

  @Test(arguments: ["", "7001010000Z", "700101000000", "700101000000+0000", "701301000000Z"])
  func refusesOtherUTCTimes(_ text: String) { #expect(UnixTime.utcTime(text.utf8) == nil) }

  @Test func readsGeneralizedTimes() {
    #expect(UnixTime.generalizedTime("20500101000000Z".utf8) == 2_524_608_000)
    #expect(UnixTime.generalizedTime("20500101000000.5Z".utf8) == nil)
    #expect(UnixTime.generalizedTime("205001010000Z".utf8) == nil)
  }
}
