// A development node on a machine of the tests' own: its quotes are signed below a root that was
// made when it started. Nothing but a program that is given that root trusts it.
//
// Usage: measured-node DIRECTORY
// Leaves in DIRECTORY: root.der, quote.bin and collateral.json (an answer to no nonce).

import Crypto
import DevelopmentNode
import EventLoop
import Glibc
import TestPKI

guard CommandLine.arguments.count == 2 else {
  NodeProgram.say("usage: measured-node DIRECTORY")
  exit(64)
}
let directory = CommandLine.arguments[1]
let machine = TestPKI(now: Int64(time(nil)))
let evidence = machine.evidence()
do {
  try Files.replace(directory + "/root.der", with: evidence.rootDER, mode: 0o600)
  try Files.replace(directory + "/quote.bin", with: evidence.quote, mode: 0o600)
  try Files.replace(directory + "/collateral.json", with: evidence.collateralJSON, mode: 0o600)
} catch {
  NodeProgram.say("cannot write into \(directory): \(error)")
  exit(74)
}
exit(
  NodeProgram.run(NodeOptions()) { reportData in
    var machine = machine
    machine.quote.reportData = reportData
    let made = machine.evidence(rootDER: evidence.rootDER)
    return Attestation.Evidence(quote: made.quote, collateral: made.collateralJSON)
  })
