import Testing

@testable import Callback

@Suite struct CallbackPathTests {
  @Test(arguments: [
    ("/return", CallbackPath.return(ticket: nil)),
    ("/return/abc", .return(ticket: "abc")),
    ("/return/a%2Fb", .return(ticket: "a%2Fb")),
    ("/done/abc", .done(ticket: "abc")),
  ]) func readsItsPaths(_ path: String, _ expected: CallbackPath) {
    #expect(CallbackPath(path) == expected)
  }

  @Test(arguments: [
    "", "/", "//", "//[", "/return/", "//return", "/return//abc", "/return/abc/", "/return/a/b",
    "/returnx", "/RETURN", "/Return/abc", "/done", "/done/", "/done/abc/", "/%72eturn", "/./return",
    "/x/../return", "/favicon.ico", "/robots.txt", "/v1/status", "/v1/requests", "*", "return",
  ]) func hasNoOther(_ path: String) {
    #expect(CallbackPath(path) == nil)
  }
}
