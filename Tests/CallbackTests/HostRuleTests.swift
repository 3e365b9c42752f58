import Testing

@testable import Callback

@Suite struct HostRuleTests {
  @Test(arguments: [
    "127.0.0.1:17463", "[::1]:17463", "localhost:17463", "LocalHost:17463",
  ]) func admitsItsOwnAddresses(_ host: String) {
    #expect(HostRule.admits(host, port: 17463))
  }

  @Test(arguments: [
    nil, "", "127.0.0.1", "localhost", "[::1]", "::1:17463", "evil.example:17463",
    "localhost:9999", "127.0.0.1:1746", "127.0.0.1:174630", "127.0.0.1:017463", "127.0.0.1:",
    "127.0.0.1:17463@evil", "evil@127.0.0.1:17463", "127.0.0.1.evil.example:17463",
    "localhost.:17463", "localhost.localdomain:17463", "127.1:17463", "127.0.0.2:17463",
    "0.0.0.0:17463", "2130706433:17463", "0x7f.0.0.1:17463", "[0:0:0:0:0:0:0:1]:17463",
    "[::ffff:127.0.0.1]:17463", "127.0.0.1:17463,evil.example", " 127.0.0.1:17463",
    "loca\u{212A}host:17463", "ｌocalhost:17463",
  ]) func refusesEveryOtherName(_ host: String?) {
    #expect(!HostRule.admits(host, port: 17463))
  }

  @Test func admitsNoPortOnlyWhereItIsTheDefault() {
    #expect(HostRule.admits("127.0.0.1", port: 80))
    #expect(HostRule.admits("127.0.0.1:80", port: 80))
    #expect(!HostRule.admits("127.0.0.1", port: 8080))
  }
}
