import Testing

@testable import Desktop

@Suite struct DesktopNotificationTests {
  @Test func writesMarkupAsText() {
    #expect(
      DesktopNotification.escapingMarkup("<b>&amp;</b> 日本 \"x\"")
        == "&lt;b&gt;&amp;amp;&lt;/b&gt; 日本 \"x\"")
  }
}
