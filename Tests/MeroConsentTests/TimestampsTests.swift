import FoundationEssentials
import MeroConsent
import Testing

@Suite struct TimestampsTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0.0),
    ("2030-01-01T00:00:00Z", 1_893_456_000.0),
    ("2030-01-01T00:00:00.5Z", 1_893_456_000.5),
    ("2030-01-01T00:00:00.413878+02:00", 1_893_448_800.413878),
    ("2030-01-01T00:00:00.000000001Z", 1_893_456_000.0),
    ("2030-01-01t00:00:00z", 1_893_456_000.0),
    ("2029-12-31T19:30:00-04:30", 1_893_456_000.0),
    ("2030-01-01T00:00:00-00:00", 1_893_456_000.0),
    ("2024-02-29T00:00:00Z", 1_709_164_800.0),
    ("2000-02-29T23:59:59Z", 951_868_799.0),
    ("1969-12-31T23:59:59.5Z", -0.5),
    ("1900-03-01T00:00:00Z", -2_203_891_200.0),
    ("2016-12-31T23:59:60Z", 1_483_228_800.0),
    ("2017-01-01T01:59:60+02:00", 1_483_228_800.0),
    ("9999-12-31T23:59:59Z", 253_402_300_799.0),
    ("0001-01-01T00:00:00Z", -62_135_596_800.0),
  ])
  func readsTheInstant(text: String, seconds: Double) throws {
    let date = try #require(RFC3339.date(text))
    #expect(abs(date.timeIntervalSince1970 - seconds) < 1e-6)
  }

  @Test(arguments: [
    "", "2030", "2030-01-01", "2030-01-01T00:00:00", "2030-01-01T00:00Z", "2030-13-01T00:00:00Z",
    "2030-00-01T00:00:00Z", "2030-01-32T00:00:00Z", "2030-01-00T00:00:00Z",
    "2030-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2030-04-31T00:00:00Z",
    "2030-01-01T24:00:00Z", "2030-01-01T00:60:00Z", "2030-01-01T00:00:61Z",
    "2030-01-01T12:00:60Z", "2030-01-01T00:00:00.Z", "2030-01-01T00:00:00,5Z",
    "2030-01-01T00:00:00+0200", "2030-01-01T00:00:00+24:00", "2030-01-01T00:00:00+02:60",
    "2030-01-01T00:00:00ZZ", "2030-01-01T00:00:00Z ", " 2030-01-01T00:00:00Z",
    "2030-01-01 00:00:00Z", "20300101T000000Z", "+2030-01-01T00:00:00Z", "02030-01-01T00:00:00Z",
    "2030-1-1T00:00:00Z", "0000-01-01T00:00:00Z", "2030-01-01T00:00:00.-5Z",
    "２０３０-01-01T00:00:00Z", "2030-01-01T0x:00:00Z", "2030-01-01T00:00:00\u{0}Z",
    "2030-01-01T00:00:00." + String(repeating: "0", count: 64) + "Z",
  ])
  func refusesWhatIsNoDateAndTime(text: String) {
    #expect(RFC3339.date(text) == nil)
  }

  @Test(arguments: [
    (0.0, "1970-01-01T00:00:00Z"), (1_893_456_000.5, "2030-01-01T00:00:00.500Z"),
    (-0.5, "1969-12-31T23:59:59.500Z"), (951_868_799.0, "2000-02-29T23:59:59Z"),
    (253_402_300_799.0, "9999-12-31T23:59:59Z"), (-62_135_596_800.0, "0001-01-01T00:00:00Z"),
    (1e300, "9999-12-31T23:59:59Z"), (.nan, "1970-01-01T00:00:00Z"),
  ])
  func writesTheInstant(seconds: Double, text: String) {
    #expect(RFC3339.text(Date(timeIntervalSince1970: seconds)) == text)
  }

  @Test func readsBackTheDaysOf800Years() throws {
    for day in stride(from: -146_097, to: 146_097, by: 17) {
      let date = Date(timeIntervalSince1970: Double(day) * 86_400)
      guard RFC3339.date(RFC3339.text(date)) == date else {
        Issue.record("day \(day)")
        return
      }
    }
  }

  @Test func agreesWithFoundationOnTheCalendar() throws {
    for day in stride(from: -25_000, to: 60_000, by: 13) {
      let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 3_661)
      #expect(RFC3339.text(date) == date.formatted(.iso8601))
    }
  }

  @Test func readsTheDateOfAnAnswer() {
    #expect(
      HTTPDate.date("Sun, 06 Nov 1994 08:49:37 GMT") == Date(timeIntervalSince1970: 784_111_777))
  }

  @Test(arguments: [
    "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC",
    "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 31 Nov 1994 08:49:37 GMT",
    "Sun, 06 nov 1994 08:49:37 GMT", "Xyz, 06 Nov 1994 08:49:37 GMT",
  ])
  func refusesOtherDatesOfAnAnswer(text: String) {
    #expect(HTTPDate.date(text) == nil)
  }
}
