import MeroConsent
import Testing

@Suite struct ReturnURLTests {
  static let query = "request_id=rq-1&result=approved"

  /// The same query at each of the doors.
  static func everywhere(_ query: String) -> [() throws -> ReturnURL] {
    [
      { try ReturnURL(path: "/return", query: query) },
      { try ReturnURL("http://127.0.0.1:17463/return?\(query)") },
      { try ReturnURL("https://notes.example/return?\(query)") },
      { try ReturnURL("mero://return?\(query)") },
    ]
  }

  @Test func readsTheRequestAtEveryDoor() throws {
    for read in Self.everywhere(Self.query) {
      let url = try read()
      #expect(url.requestId == "rq-1")
      #expect(url.resultHint == "approved")
      #expect(!url.contradictsItself)
      #expect(!url.namesAnother(than: "rq-1"))
      #expect(url.namesAnother(than: "rq-2"))
    }
  }

  @Test(arguments: [
    "", "x=1", "result=approved", "REQUEST_ID=rq-1", "request_id%20=rq-1", "requestid=rq-1", "&&",
  ])
  func aReturnThatNamesNoRequestIsNotAnothers(query: String) throws {
    for read in Self.everywhere(query) {
      let url = try read()
      #expect(url.requestId == nil)
      #expect(!url.namesAnother(than: "rq-1"))
    }
  }

  @Test(arguments: [
    "request_id=rq-1&request_id=rq-2&result=approved",
    "request_id=rq-1&result=denied&result=approved",
    "request_id=rq-1&request%5Fid=rq-2&result=approved",
    "request_id=rq-1&result=approved&result",
    "request_id=rq-1&request_id=rq%2D2",
    "request_id=\u{e9}&request_id=e\u{301}",
  ])
  func twoValuesOfOneNameNameAnotherRequest(query: String) throws {
    for read in Self.everywhere(query) {
      let url = try read()
      #expect(url.contradictsItself)
      #expect(url.requestId == nil)
      #expect(url.resultHint == nil)
      #expect(url.namesAnother(than: "rq-1"))
      #expect(url.namesAnother(than: "rq-2"))
    }
  }

  @Test(arguments: [
    "request_id=rq-1&request_id=rq-1&result=approved", "request_id=rq-1&request%5fid=rq%2D1",
    "a=1&a=2&request_id=rq-1&result=approved", "&&=&request_id=rq-1&result=approved",
    "request_id=rq-1&result=approved&result=approved", "&request_id=rq-1&",
  ])
  func theSameValueTwiceAndUnknownNamesDoNoHarm(query: String) throws {
    for read in Self.everywhere(query) {
      let url = try read()
      #expect(url.requestId == "rq-1")
      #expect(!url.namesAnother(than: "rq-1"))
    }
  }

  @Test(arguments: [
    ("request_id=a%2Bb%2F%3D", "a+b/="), ("request_id=a+b%2F%3D", "a b/="),
    ("request_id=a%20b%2F%3D", "a b/="), ("request_id=a=b", "a=b"), ("request_id==", "="),
    ("request_id=a%252Bb", "a%2Bb"), ("request_id=%C3%A9", "\u{e9}"), ("request_id=é", "é"),
    ("request_id=y%00z", "y\u{0}z"), ("request_id=rQ-aB", "rQ-aB"),
  ])
  func decodesOnceByTheRuleOfForms(query: String, id: String) throws {
    for read in Self.everywhere(query) {
      #expect(try read().requestId.map { Array($0.utf8) } == Array(id.utf8))
    }
  }

  @Test func comparesIdsByteForByte() throws {
    let composed = try ReturnURL(path: "/return", query: "request_id=%C3%A9")
    #expect(!composed.namesAnother(than: "\u{e9}"))
    #expect(composed.namesAnother(than: "e\u{301}"))
  }

  @Test(arguments: [
    "request_id", "request_id=", "request_id&result", "request_id=rq-1&request_id=",
    "request_id=%", "request_id=%4", "request_id=%zz", "request_id=rq-1&x=%g0",
    "request_id=%ff", "request_id=%C3", "request_id=%C0%AF", "request_id=%ED%A0%80",
    "request_id=%F5%80%80%80", "%ff=1&request_id=rq-1", "request_id=rq-1%", "request_id=% 1",
    "request_id=rq-1\u{7f}", "request_id=rq 1", "request_id=rq-1\t", "request_id=rq-1\n",
    "request_id=rq-1\u{0}",
  ])
  func refusesWhatIsMalformed(query: String) {
    for read in Self.everywhere(query) {
      #expect(refusal(read)?.code == .returnURLMalformed)
    }
  }

  @Test func refusesBytesThatAreNoText() {
    let bytes = Array("mero://return?request_id=rq".utf8) + [0xff]
    #expect(refusal { try ReturnURL(bytes: bytes) }?.code == .returnURLMalformed)
  }

  @Test func takes8KiBAndNotMore() throws {
    for start in ["https://notes.example/r?\(Self.query)&x=", "mero:return?\(Self.query)&x="] {
      let fits = start + String(repeating: "x", count: 8192 - start.count)
      #expect(try ReturnURL(fits).requestId == "rq-1")
      #expect(refusal { try ReturnURL(fits + "x") }?.code == .returnURLMalformed)
    }
    let fits = Self.query + "&" + String(repeating: "x", count: 8192 - 8 - Self.query.count - 1)
    #expect(try ReturnURL(path: "/return", query: fits).requestId == "rq-1")
    #expect(refusal { try ReturnURL(path: "/return", query: fits + "x") } != nil)
  }

  @Test func looksAtNoFragment() throws {
    let url = try ReturnURL("mero://return?\(Self.query)#x=1&request_id=rq-2")
    #expect(url.requestId == "rq-1")
    #expect(try ReturnURL("mero://return#x=1").requestId == nil)
    #expect(try ReturnURL("mero://return?a=1#?request_id=rq-1").requestId == nil)
  }

  @Test(arguments: ["mero://return#", "https://notes.example/r#", "mero://return?#"])
  func refusesValuesThatStandInTheFragment(start: String) {
    #expect(refusal { try ReturnURL(start + Self.query) }?.code == .returnURLMalformed)
  }

  @Test(arguments: [
    "mero://return", "mero:///return", "mero:/return", "mero:return", "mero://return/",
    "mero://RETURN", "MERO://return", "Mero:Return/",
  ])
  func takesEverySpellingOfTheAppsOwnURL(start: String) throws {
    let url = try ReturnURL("\(start)?request_id=rQ-aB&result=approved")
    #expect(url.requestId == "rQ-aB")
    #expect(url.scheme == "mero")
    #expect(url.isReturn(toScheme: "mero", path: "return"))
    #expect(url.isReturn(toScheme: "MERO", path: "/return"))
  }

  @Test(arguments: [
    "mero://other", "mero://", "mero:", "mero://return/x", "mero://returns", "other://return",
    "mero-x://return", "https://return", "mero://x/return",
  ])
  func tellsOtherPlacesApart(start: String) throws {
    let url = try ReturnURL("\(start)?\(Self.query)")
    #expect(!url.isReturn(toScheme: "mero", path: "return"))
  }

  @Test func comparesOnlyTheFirstPartWithoutCase() throws {
    let url = try ReturnURL("mero://app/Return?\(Self.query)")
    #expect(url.isReturn(toScheme: "mero", path: "APP/Return"))
    #expect(!url.isReturn(toScheme: "mero", path: "app/return"))
  }

  @Test(arguments: [
    "", "?", "return", "/return", "://return", "1mero://return", "mé://return", "m ero:return",
    "mero:////return", "https:/notes.example/", "https:notes.example", "https:///r", "http://?x",
    "https://", "mero://re%zzturn",
  ])
  func refusesWhatIsNoURL(start: String) {
    #expect(refusal { try ReturnURL("\(start)?\(Self.query)") }?.code == .returnURLMalformed)
  }

  @Test func foldsOnlyTheCaseOfASCII() {
    // U+212A, the Kelvin sign, folds to `k` in Unicode.
    #expect(refusal { try ReturnURL("mero\u{212a}://return?\(Self.query)") } != nil)
  }

  @Test(arguments: ["$(id)&b=`id`;'x'", "a|b<c>\"d\"\\e^{f}"])
  func takesTheSignsThatAShellWouldRead(value: String) throws {
    #expect(try ReturnURL("mero://return?request_id=rq-1&z=\(value)").requestId == "rq-1")
  }

  @Test func printsNothingOfItsQuery() throws {
    let url = try ReturnURL("mero://return/marker?request_id=marker&x=marker&result=marker")
    for text in [
      "\(url)", String(reflecting: url), "\(Mirror(reflecting: url).children.map { $0 })",
    ] {
      #expect(!text.contains("marker"))
    }
  }
}

@Suite struct CloudCallbackTests {
  @Test(arguments: [
    (CloudCallback.https(host: "notes.example", path: "/return"), "https://notes.example/return"),
    (.https(host: "notes.example", path: "return"), "https://notes.example/return"),
    (.https(host: "notes.example", path: ""), "https://notes.example/"),
    (.scheme("mero", path: "return"), "mero://return"),
    (.scheme("mero", path: "/return"), "mero://return"),
    (.loopback(port: 17463, path: "/return/t"), "http://127.0.0.1:17463/return/t"),
  ])
  func isWrittenAsAURL(callback: CloudCallback, url: String) {
    #expect(callback.url == url)
  }

  @Test func aReturnToASchemeIsFoundAgain() throws {
    let url = try ReturnURL(CloudCallback.scheme("mero", path: "return").url + "?request_id=rq-1")
    #expect(url.isReturn(toScheme: "mero", path: "return"))
  }

  @Test func whatIsNotForASchemeMayBeAReturnTo() {
    #expect(ReturnToTests.check(CloudCallback.https(host: "a.example", path: "r").url) == nil)
    #expect(ReturnToTests.check(CloudCallback.loopback(port: 1, path: "r").url) == nil)
    #expect(ReturnToTests.check(CloudCallback.scheme("mero", path: "r").url) != nil)
  }
}
