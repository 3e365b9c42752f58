import MeroConsent
import Testing

@testable import ConsentBroker

@Suite struct TrustJSONTests {
  static let key = String(repeating: "a1", count: 32)
  static let register = String(repeating: "0f", count: 48)
  static let image =
    #"{"mrtd":"\#(register)","rtmr0":"\#(register)","rtmr1":"\#(register)","#
    + #""rtmr2":"\#(register)","rtmr3":"\#(register)"}"#
  static let measurements = NodeMeasurements(
    mrtd: register, rtmr0: register, rtmr1: register, rtmr2: register, rtmr3: register)

  func read(_ trust: String) throws -> SessionTrust? {
    var node = try JSONFields(JSONReader.read(Array("{\"trust\":\(trust)}".utf8)), path: "node.")
    return try TrustJSON.read(&node)
  }

  @Test(
    arguments: [
      (#"{"transportKey":"\#(key)"}"#, .node(.transportKey(key))),
      (#"{"development":true}"#, .node(.development)),
      (#"{"measurements":[\#(image)]}"#, .node(.measurements([measurements], tcb: ["UpToDate"]))),
      (
        #"{"measurements":[\#(image),\#(image)],"tcb":["UpToDate","SWHardeningNeeded"]}"#,
        .node(.measurements([measurements, measurements], tcb: ["UpToDate", "SWHardeningNeeded"]))
      ),
      (#"{"releases":true}"#, .releases(nil)),
      (#"{"releases":["2.3.87","b"]}"#, .releases(["2.3.87", "b"])),
      ("null", nil),
    ] as [(String, SessionTrust?)]) func readsOneWay(_ text: String, _ trust: SessionTrust?) throws
  {
    #expect(try read(text) == trust)
  }

  @Test(arguments: [
    ("{}", "node.trust"),
    (#"{"transportKey":"\#(key)","development":true}"#, "node.trust"),
    (#"{"transportKey":"\#(key.dropLast())"}"#, "node.trust.transportKey"),
    (#"{"transportKey":"\#(key.dropLast())g"}"#, "node.trust.transportKey"),
    (#"{"transportKey":5}"#, "node.trust.transportKey"),
    (#"{"development":false}"#, "node.trust.development"),
    (#"{"measurements":[]}"#, "node.trust.measurements"),
    (#"{"measurements":[{}]}"#, "node.trust.measurements[0].mrtd"),
    (#"{"measurements":[\#(image),{"mrtd":"00"}]}"#, "node.trust.measurements[1].mrtd"),
    (#"{"tcb":["UpToDate"]}"#, "node.trust.tcb"),
    (#"{"releases":false}"#, "node.trust.releases"),
    (#"{"releases":[]}"#, "node.trust.releases"),
    (#"{"releases":[1]}"#, "node.trust.releases"),
    (#"{"releases":true,"development":true}"#, "node.trust"),
    (#"{"releases":true,"tcb":["UpToDate"]}"#, "node.trust.tcb"),
    (#"{"key":"x"}"#, "node.trust.key"),
    ("[]", "node.trust"),
  ]) func namesWhatItRefuses(_ text: String, _ field: String) throws {
    do {
      _ = try read(text)
      Issue.record("read")
    } catch let problem as APIProblem {
      #expect(problem.document.field == field)
      #expect(problem.document.status == 422)
    }
  }

  /// What the ledger keeps is read back as it was.
  @Test(
    arguments: [
      .node(.transportKey(key)), .node(.development), .node(.unconfigured), .releases(nil),
      .releases(["a", "b"]), .node(.measurements([measurements], tcb: ["OutOfDate"])),
    ] as [SessionTrust]) func isKeptAsItIs(_ trust: SessionTrust)
  {
    #expect(StoredTrust.read(StoredTrust.text(trust)) == trust)
  }

  @Test func whatCannotBeReadTrustsNothing() {
    #expect(StoredTrust.read("{") == .node(.unconfigured))
    #expect(StoredTrust.read(#"{"trust":{"new":1}}"#) == .node(.unconfigured))
  }
}
