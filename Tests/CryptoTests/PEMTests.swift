import Crypto
import Testing

@Suite struct PEMTests {
  private static let one = "-----BEGIN CERTIFICATE-----\nAQID\n-----END CERTIFICATE-----\n"
  private static let two = "-----BEGIN CERTIFICATE-----\nBA==\n-----END CERTIFICATE-----\n"

  private func read(_ text: String, limit: Int = 3) -> [[UInt8]]? {
    PEM.certificates(Array(text.utf8)[...], limit: limit)
  }

  @Test func readsBlocksInOrder() {
    #expect(read(Self.one + Self.two) == [[1, 2, 3], [4]])
  }

  @Test(arguments: [
    "", "text", "-----", "-----END CERTIFICATE-----", "----BEGIN CERTIFICATE-----\nAQID\n",
  ])
  func textWithoutABlockHasNone(_ text: String) { #expect(read(text) == []) }

  @Test(arguments: [
    "before\n" + one + "between" + two + "behind\u{0}", one + one.dropLast(),
    String(one.dropLast()) + one,
    (one + two).split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n"),
    "-----BEGIN CERTIFICATE-----A QI\tD\n\n-----END CERTIFICATE-----" + two,
  ])
  func whatIsOutsideOfTheBlocksIsNotRead(_ text: String) {
    #expect(read(text)?.count == 2)
    #expect(read(text)?.first == [1, 2, 3])
  }

  @Test(arguments: [
    "-----BEGIN CERTIFICATE-----\nAQID\n",
    "-----BEGIN CERTIFICATE-----\nAQI\n-----END CERTIFICATE-----",
    "-----BEGIN CERTIFICATE-----\nAQ.D\n-----END CERTIFICATE-----",
    "-----BEGIN CERTIFICATE-----\nAR==\n-----END CERTIFICATE-----",
    "-----BEGIN CERTIFICATE-----\nX: y\n\nAQID\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nAQID\n-----END PUBLIC KEY-----\n",
    "-----BEGIN X509 CERTIFICATE-----\nAQID\n-----END X509 CERTIFICATE-----\n",
    "-----BEGIN CERTIFICATE-----\n" + one,
  ])
  func refusesABlockThatIsNoCertificate(_ text: String) {
    #expect(read(text) == nil)
    #expect(read(Self.one + text) == nil)
  }

  @Test func refusesMoreBlocksThanAreOfUse() {
    #expect(read(Self.one + Self.two, limit: 2)?.count == 2)
    #expect(read(Self.one + Self.two, limit: 1) == nil)
  }
}
