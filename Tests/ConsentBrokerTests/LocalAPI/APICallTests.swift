import Desktop
import HTTP
import MeroConsent
import Testing

@testable import ConsentBroker

@Suite struct APICallTests {
  func call(
    _ body: String, type: [HTTPFieldValue] = ["application/json"], query: String? = nil,
    headers: HTTPHeaders = [:]
  ) -> APICall {
    var headers = headers
    for value in type { headers.add(.contentType, value) }
    return APICall(
      request: HTTPRequest(
        method: .post, path: "/v1/requests", query: query, headers: headers,
        body: Array(body.utf8)), id: "")
  }

  func status(_ body: () throws(APIProblem) -> Void) -> Int {
    do {
      try body()
      return 200
    } catch { return error.document.status }
  }

  @Test(
    arguments: [
      "application/json", "Application/JSON", "application/json; charset=utf-8",
      "application/json;charset=\"UTF-8\"", "application/json ;  charset=utf-8",
    ] as [HTTPFieldValue]) func takesJSON(_ type: HTTPFieldValue)
  {
    #expect(status { () throws(APIProblem) in _ = try call("{}", type: [type]).fields() } == 200)
  }

  @Test(
    arguments: [
      [], [""], ["text/plain"], ["application/x-www-form-urlencoded"], ["application/json5"],
      ["application/problem+json"], ["application/json; charset=latin1"], ["application/json; x=y"],
      ["application/json", "application/json"], ["application/json, text/plain"],
    ] as [[HTTPFieldValue]]) func refusesEveryOtherType(_ types: [HTTPFieldValue])
  {
    #expect(status { () throws(APIProblem) in _ = try call("{}", type: types).fields() } == 415)
  }

  @Test func refusesACodedBody() {
    let coded = call("{}", headers: ["Content-Encoding": "gzip"])
    #expect(status { () throws(APIProblem) in _ = try coded.fields() } == 415)
  }

  @Test(arguments: ["", "{", "{}x", "{\"a\":1,\"a\":2}"])
  func answers400ForWhatIsNoJSON(_ body: String) {
    #expect(status { () throws(APIProblem) in _ = try call(body).fields() } == 400)
  }

  @Test func answers422ForWhatIsNoObject() {
    #expect(status { () throws(APIProblem) in _ = try call("[]").fields() } == 422)
  }

  @Test func takesNothingOrAnEmptyObjectWhereNoBodyIsNeeded() throws {
    func token(_ call: APICall) -> Int {
      status { () throws(APIProblem) in _ = try call.optionalActivationToken() }
    }
    #expect(token(call("", type: [])) == 200)
    #expect(token(call("{}")) == 200)
    #expect(token(call("{\"a\":1}")) == 422)
    #expect(token(call("x")) == 400)
    let given = try call("{\"activationToken\":\"tok-1\"}").optionalActivationToken()
    #expect(given?.text == "tok-1")
    for bad in ["\"\"", "\"a b\"", "1"] {
      #expect(token(call("{\"activationToken\":\(bad)}")) == 422)
    }
  }

  @Test func readsParametersOnceEach() throws {
    let read = try call("", query: "state=a+b&limit=%35").parameters(["state", "limit"])
    #expect(read == ["state": "a b", "limit": "5"])
    for (query, expected) in [
      ("state=a&state=a", 422), ("other=1", 422), ("state=%ZZ", 400), ("state=%FF", 400), ("", 200),
    ] {
      let call = call("", query: query)
      #expect(
        status { () throws(APIProblem) in _ = try call.parameters(["state"]) } == expected)
    }
  }

  @Test func refusesAHeaderGivenTwice() throws {
    var headers = HTTPHeaders()
    headers.add(.idempotencyKey, "a")
    #expect(try call("", headers: headers).single(.idempotencyKey) == "a")
    headers.add(.idempotencyKey, "a")
    let twice = call("", headers: headers)
    #expect(status { () throws(APIProblem) in _ = try twice.single(.idempotencyKey) } == 400)
  }
}
