import Crypto
import FoundationEssentials
import TestPKI
import Testing

@testable import quote_cases

/// Whole cases, with data made here.
@Suite struct CaseRunnerTests {
  private static let nonce = String(repeating: "4e", count: 32)
  private static let key = String(repeating: "6b", count: 32)

  /// A directory with a root, a quote and its collateral, another collateral, a release and a mock.
  private final class DataFiles {
    let path: String
    let now: Int64

    init() throws {
      path =
        FileManager.default.temporaryDirectory.path
        + "/quote-cases-\(UInt64.random(in: 0...(.max)))"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      var pki = TestPKI()
      now = pki.now
      let binding = SHA256.hash(
        Array("calimero.tee-attest.transport-key.v1".utf8) + [UInt8](repeating: 0, count: 32)
          + [UInt8](repeating: 0x6b, count: 32))
      pki.quote.reportData = [UInt8](repeating: 0x4e, count: 32) + binding
      let evidence = pki.evidence()
      write("root.der", evidence.rootDER)
      write("root.pem", Array(CertificateRecipe.pem([evidence.rootDER]).utf8))
      write("sound.quote.bin", evidence.quote)
      write("sound.collateral.json", evidence.collateralJSON)
      var other = pki
      other.tcbInfo.fmspc = "000000000000"
      write("other.collateral.json", other.evidence(rootDER: evidence.rootDER).collateralJSON)
      let registers = ["d0", "a0", "a1", "a2", "a3"].map { String(repeating: $0, count: 48) }
      let names = ["mrtd", "rtmr0", "rtmr1", "rtmr2", "rtmr3"]
      let fields = zip(names, registers).map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",")
      write(
        "release.json",
        Array("{\"role\":\"node\",\"tag\":\"1\",\"profiles\":{\"p\":{\(fields)}}}".utf8))
      write(
        "mock.quote.bin",
        Array("MOCK_TDX_QUOTE_V1".utf8) + pki.quote.reportData + [UInt8](repeating: 0, count: 175))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    private func write(_ name: String, _ bytes: [UInt8]) {
      _ = FileManager.default.createFile(
        atPath: path + "/" + name, contents: Data(bytes))
    }
  }

  private let data: DataFiles

  init() throws { data = try DataFiles() }

  /// What the runner has to say about one case, whose fields are added to those of a sound one.
  private func complaint(_ fields: String, root: String = "root.der") throws -> String? {
    let quote = fields.contains("\"quote\":") ? "" : "\"quote\":\"sound.quote.bin\","
    let text = """
      {"id":"the case",\(quote)"collateral":"sound.collateral.json",
      "now":\(data.now),"root":"\(root)",\(fields)}
      """
    let item = try JSONDecoder().decode(Case.self, from: Data(text.utf8))
    var runner = CaseRunner(data: DataDirectory(path: data.path))
    return runner.complaint(item)
  }

  private static let policy = """
    "policy":{"releases":[{"file":"release.json","profile":"p"}],"nonce":"\(nonce)",
    "transportKey":"\(key)"
    """

  @Test(arguments: [
    #""expect":{"ok":true,"status":"UpToDate","advisoryIds":[]}"#, #""expect":{"ok":true}"#,
    #""quoteEdits":[{"op":"truncate","length":47}],"expect":{"ok":false}"#,
    #""quoteEdits":[{"op":"xor","offset":0,"mask":"01"}],"expect":{"ok":false,"failure":"quote-body-type"}"#,
    #""quoteEdits":[{"op":"append","hex":"00"}],"expect":{"ok":true}"#,
    #""quoteEdits":[{"op":"put","offset":0,"hex":"ff"},{"op":"put","offset":0,"hex":"04"}],"expect":{"ok":true}"#,
    #""collateralEdits":[{"op":"remove","field":"pck_crl"}],"expect":{"ok":false,"failure":"collateral-malformed"}"#,
    #""collateralEdits":[{"op":"set","field":"pck_crl","value":null}],"expect":{"ok":false,"failure":"collateral-malformed"}"#,
    #""collateralEdits":[{"op":"asBytes","field":"pck_crl"}],"expect":{"ok":true}"#,
    #""collateralEdits":[{"op":"truncate","field":"pck_crl","length":9}],"expect":{"ok":false,"failure":"pck-crl-invalid"}"#,
    #""collateralEdits":[{"op":"replaceText","field":"tcb_info","find":"TDX","with":"SGX"}],"expect":{"ok":false,"failure":"tcb-info-signature"}"#,
    #""collateralEdits":[{"op":"copy","field":"tcb_info","from":"other.collateral.json"},{"op":"copy","field":"tcb_info_signature","from":"other.collateral.json"}],"expect":{"ok":false,"failure":"tcb-info-mismatch"}"#,
    #""quoteB64":"AAAA","expect":{"ok":false,"failure":"quote-malformed"}"#,
    policy + #"},"expect":{"ok":true,"mock":false}"#,
    policy
      + #","applicationHash":"\#(nonce)"},"expect":{"ok":false,"failure":"report-data-mismatch"}"#,
    policy
      + #","allowedTcbStatuses":["OutOfDate"]},"expect":{"ok":false,"failure":"tcb-status-not-allowed"}"#,
    policy + #"},"quote":"mock.quote.bin","expect":{"ok":false,"failure":"mock-quote"}"#,
    policy + #","acceptMock":true},"quote":"mock.quote.bin","expect":{"ok":true,"mock":true}"#,
  ])
  func agreesWithARightExpectation(_ fields: String) throws {
    #expect(try complaint(fields) == nil)
  }

  @Test func takesARootAsPEMToo() throws {
    #expect(try complaint(#""expect":{"ok":true}"#, root: "root.pem") == nil)
  }

  @Test(arguments: [
    (
      #""expect":{"ok":false,"failure":"td-debug"}"#,
      "the case: expected td-debug, got ok, status UpToDate"
    ),
    (
      #""expect":{"ok":true,"status":"OutOfDate"}"#,
      "the case: expected ok, status OutOfDate, got ok, status UpToDate"
    ),
    (
      #""expect":{"ok":true,"advisoryIds":["X"]}"#,
      "the case: expected ok, advisories X, got ok, advisories none"
    ),
    (
      #""quoteEdits":[{"op":"put","offset":0,"hex":"09"}],"expect":{"ok":false,"failure":"td-debug"}"#,
      "the case: expected td-debug, got quote-version"
    ),
    (
      #""quoteEdits":[{"op":"put","offset":0,"hex":"09"}],"expect":{"ok":true}"#,
      "the case: expected ok, status any, got quote-version"
    ),
    (
      #""quoteEdits":[{"op":"swap"}],"expect":{"ok":false}"#,
      "the case: expected a failure, got a case that cannot be run: unknown edit swap"
    ),
    (
      #""expect":{"ok":true,"measurements":{"rtmr3":"00"}}"#,
      "the case: expected ok, rtmr3 00, got ok, rtmr3 " + String(repeating: "a3", count: 48)
    ),
  ])
  func tellsWhatDiffers(_ fields: String, _ told: String) throws {
    #expect(try complaint(fields) == told)
  }

  @Test func theRootCountsOnlyWhereACaseNamesIt() throws {
    let text = """
      {"id":"x","quote":"sound.quote.bin","collateral":"sound.collateral.json","now":\(data.now),
      "expect":{"ok":false,"failure":"root-crl-invalid"}}
      """
    let item = try JSONDecoder().decode(Case.self, from: Data(text.utf8))
    var runner = CaseRunner(data: DataDirectory(path: data.path))
    #expect(runner.complaint(item) == nil)
  }

  @Test func runsRowsOfTheConvergenceTable() {
    let right = ConvergenceRow(
      platform: "UpToDate", module: nil, qe: "OutOfDate", status: "OutOfDate")
    #expect(CaseRunner.complaint(right) == nil)
    let revoked = ConvergenceRow(
      platform: "OutOfDate", module: "Revoked", qe: "UpToDate", status: "Revoked")
    #expect(CaseRunner.complaint(revoked) == nil)
    let wrong = ConvergenceRow(
      platform: "UpToDate", module: "UpToDate", qe: "UpToDate", status: "OutOfDate")
    #expect(
      CaseRunner.complaint(wrong)
        == "convergence/UpToDate, module UpToDate, QE UpToDate: expected OutOfDate, got UpToDate")
    let unknown = ConvergenceRow(platform: "Fine", module: nil, qe: "UpToDate", status: "UpToDate")
    #expect(CaseRunner.complaint(unknown) != nil)
  }
}
