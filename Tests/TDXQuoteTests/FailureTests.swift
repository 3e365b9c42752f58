import TestPKI
import Testing

@testable import TDXQuote

/// Each thing that can be wrong is refused with the code of its step.
@Suite struct FailureTests {
  @Test(arguments: QuoteFlaws.layout) func refusesALayout(_ flaw: Flaw) { flaw.expectRefusal() }

  @Test(arguments: QuoteFlaws.signatures) func refusesASignature(_ flaw: Flaw) {
    flaw.expectRefusal()
  }

  @Test(arguments: QuoteFlaws.attributes) func refusesATD(_ flaw: Flaw) { flaw.expectRefusal() }

  @Test(arguments: QuoteFlaws.forbiddenBits) func refusesAnAttributeBit(_ bit: Int) {
    Flaw(.tdAttributes, "bit \(bit)", recipe: { $0.quote.tdAttributes |= 1 << UInt64(bit) })
      .expectRefusal()
  }

  @Test(arguments: DocumentFlaws.collateral) func refusesCollateral(_ flaw: Flaw) {
    flaw.expectRefusal()
  }

  @Test(arguments: ChainFlaws.lists) func refusesARevocationList(_ flaw: Flaw) {
    flaw.expectRefusal()
  }

  @Test(arguments: ChainFlaws.pckCRLChain) func refusesThePCKCRLChain(_ flaw: Flaw) {
    flaw.expectRefusal()
  }

  @Test(arguments: ChainFlaws.documentChains) func refusesADocumentsChain(_ flaw: Flaw) {
    flaw.expectRefusal()
  }

  @Test(arguments: ChainFlaws.pckChain) func refusesThePCKChain(_ flaw: Flaw) {
    flaw.expectRefusal()
  }

  @Test(arguments: ChainFlaws.extensions) func refusesThePCKExtension(_ flaw: Flaw) {
    flaw.expectRefusal()
  }

  @Test(arguments: DocumentFlaws.tcbInfo) func refusesATCBInfo(_ flaw: Flaw) {
    flaw.expectRefusal()
  }

  @Test(arguments: DocumentFlaws.qeIdentity) func refusesAQEIdentity(_ flaw: Flaw) {
    flaw.expectRefusal()
  }

  @Test(arguments: DocumentFlaws.levels) func refusesALevel(_ flaw: Flaw) { flaw.expectRefusal() }

  @Test func everyCodeIsReached() {
    let tables = [
      QuoteFlaws.layout, QuoteFlaws.signatures, QuoteFlaws.attributes, DocumentFlaws.collateral,
      ChainFlaws.lists, ChainFlaws.pckCRLChain, ChainFlaws.documentChains, ChainFlaws.pckChain,
      ChainFlaws.extensions, DocumentFlaws.tcbInfo, DocumentFlaws.qeIdentity, DocumentFlaws.levels,
    ]
    let reached = Set(tables.joined().map(\.failure))
    // The policy's own codes have tests of their own.
    let policy: Set<QuoteFailure> = [
      .tcbStatusNotAllowed, .measurementsUntrusted, .reportDataMismatch,
    ]
    #expect(reached.union(policy) == Set(QuoteFailure.allCases))
  }

  @Test func codesStandInTheOrderOfTheirSteps() {
    let steps = QuoteFailure.allCases.map(\.step)
    #expect(steps == steps.sorted())
    #expect(steps.allSatisfy { (1...19).contains($0) })
  }

  @Test func everyCodeHasASentence() {
    for failure in QuoteFailure.allCases { #expect(failure.explanation.hasSuffix(".")) }
    #expect(Set(QuoteFailure.allCases.map(\.explanation)).count == QuoteFailure.allCases.count)
  }

  @Test func thoseThatSayNotCurrentDependOnTheClock() {
    for failure in QuoteFailure.allCases {
      #expect(failure.dependsOnTheClock == failure.rawValue.hasSuffix("-not-current"))
    }
  }
}
