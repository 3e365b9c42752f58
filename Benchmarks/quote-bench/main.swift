// quote-bench: what a verdict takes, against OpenSSL's signatures and chains alone, in one run.
// With `memory`: how much memory hostile input takes at its height. For development, never
// installed. Exit status 1 when it is too much of either.
import Glibc
import TDXQuote
import TestPKI

/// A verdict may take this many times as long as the signatures and chains that it rests on.
let allowedRatio = 1.5
let rounds = 400

if CommandLine.arguments.dropFirst() == ["memory"] { exit(MemoryCheck.run() ? 0 : 1) }

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

/// The median times of a round of each, in microseconds. They take turns, so that a machine that
/// becomes slower does so for all.
func medians(_ works: [() -> Bool]) -> [Double] {
  var times = works.map { _ in [Double]() }
  for _ in 0..<rounds {
    for (index, work) in works.enumerated() {
      let start = threadTime()
      precondition(work(), "a round failed")
      times[index].append(threadTime() - start)
    }
  }
  return times.map { $0.sorted()[rounds / 2] }
}

func verdict() -> Bool {
  (try? verifier.verify(quote: evidence.quote, collateral: collateral, now: pki.now)) != nil
}

func row(_ name: String, _ time: Double) {
  print("\(name): \(Int(time.rounded())) us")
}

// Once each before anything is measured: OpenSSL loads its algorithms at first use.
precondition(verdict() && baseline.parseAndVerify() && baseline.verifyParsed())
let times = medians([verdict, baseline.verifyParsed, baseline.parseAndVerify])
row("a verdict, from a node's bytes", times[0])
row("OpenSSL's signatures and chains alone", times[1])
row("the same with certificates and lists parsed", times[2])
let ratio = times[0] / times[1]
print(
  "ratio to signatures and chains alone: \((ratio * 100).rounded() / 100), allowed \(allowedRatio)")
exit(ratio <= allowedRatio ? 0 : 1)
