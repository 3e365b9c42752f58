// quote-bench: what a verdict takes, against OpenSSL's signatures and chains alone, in one run.
// For development, never installed. Exit status 1 when a verdict takes too long.
import Glibc
import TDXQuote
import TestPKI

/// A verdict may take this many times as long as the signatures and chains that it rests on.
let allowedRatio = 1.5
let rounds = 400

/// Evidence of the size of Intel's.
func platform() -> TestPKI {
  var pki = TestPKI()
  // As many as Intel's list of late 2026 has, each with a reason.
  pki.pckCRL.revokedSerials = Array(1000..<1080)
  pki.pckCRL.reason = 1
  return pki
}

let pki = platform()
let evidence = pki.evidence()
guard let anchor = TrustAnchor(der: evidence.rootDER) else { preconditionFailure("no anchor") }
let verifier = QuoteVerifier(trustingInsteadOfIntelInTestsOnly: anchor)
let collateral = evidence.collateralJSON
let baseline = Baseline(
  evidence,
  signatures: [
    Baseline.Signature(by: pki.tcbSigning.key, over: Array(pki.tcbInfo.json.utf8)),
    Baseline.Signature(by: pki.tcbSigning.key, over: Array(pki.qeIdentity.json.utf8)),
    Baseline.Signature(by: pki.pck.key, over: Array(evidence.quote[770..<1154])),
    Baseline.Signature(by: pki.keys.attestation, over: Array(evidence.quote[..<632])),
  ], now: pki.now)

/// The processor time of this thread in microseconds: others may use the machine meanwhile.
func threadTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}

/// The median time of one round, in microseconds.
func median(_ work: () -> Bool) -> Double {
  let times = (0..<rounds).map { _ in
    let start = threadTime()
    precondition(work(), "a round failed")
    return threadTime() - start
  }
  return times.sorted()[rounds / 2]
}

func verdict() -> Bool {
  (try? verifier.verify(quote: evidence.quote, collateral: collateral, now: pki.now)) != nil
}

func row(_ name: String, _ time: Double) {
  print("\(name): \(Int(time.rounded())) us")
}

// Once each before anything is measured: OpenSSL loads its algorithms at first use.
precondition(verdict() && baseline.parseAndVerify() && baseline.verifyParsed())
let ours = median(verdict)
let bare = median(baseline.verifyParsed)
row("a verdict, from a node's bytes", ours)
row("OpenSSL's signatures and chains alone", bare)
row("the same with certificates and lists parsed", median(baseline.parseAndVerify))
let ratio = ours / bare
print(
  "ratio to signatures and chains alone: \((ratio * 100).rounded() / 100), allowed \(allowedRatio)")
exit(ratio <= allowedRatio ? 0 : 1)
