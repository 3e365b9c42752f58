// The daemon, but for one thing: it trusts the root in the file that MERO_TEST_ROOT names, and
// not Intel's. It is part of the tests and is never installed; the real daemon has no such door.

import ConsentBroker
import EventLoop
import Glibc
import MeroConsent
import TDXQuote

ProcessGuard.raise()
guard let path = getenv("MERO_TEST_ROOT").map({ String(cString: $0) }),
  let der = try? Files.read(path, limit: 4096), let anchor = TrustAnchor(der: der)
else {
  print("MERO_TEST_ROOT names no certificate")
  exit(64)
}
let verifier = QuoteVerifier(trustingInsteadOfIntelInTestsOnly: anchor)
exit(
  DaemonProgram.run { (parts) throws(ConsentError) in
    try MeroClient(
      node: parts.node, trust: parts.trust, tokens: parts.tokens, origins: parts.origins,
      returnTo: parts.returnTo, carrier: { CurlCarrier(node: parts.node, limits: CarrierLimits()) },
      clock: .system, verifier: verifier, onTokensChanged: parts.onTokensChanged)
  })
