import TestPKI

@testable import TDXQuote

/// Steps 6, 7 and 10: what can be wrong with certificates and revocation lists.
enum ChainFlaws {
  private static let day = TestPKI.day
  private static let unknown = "1.3.6.1.4.1.55555.1"

  /// The same flaws of a certificate, in whichever chain it stands.
  private static func certificate(
    _ failure: QuoteFailure, _ who: String,
    _ change: @escaping @Sendable (inout TestPKI, (inout CertificateRecipe) -> Void) -> Void
  ) -> [Flaw] {
    func flaw(
      _ name: String, _ spoil: @escaping @Sendable (inout CertificateRecipe) -> Void
    ) -> Flaw {
      Flaw(failure, "\(who): \(name)", recipe: { change(&$0, spoil) })
    }
    return [
      flaw("another name") { $0.name += " 2" },
      flaw("no name that counts") { $0.name = "Intel SGX Root CA" },
      flaw("another issuer") { $0.issuerName = "Somebody" },
      flaw("signed by a stranger") { $0.issuerKey = TestPKI.shared.stranger },
      flaw("version 1") { $0.version = 0 },
      flaw("version 2") { $0.version = 1 },
      flaw("a key on P-384") { $0.key = SigningKey(curve: "P-384") },
      flaw("said to be signed with SHA-384") { $0.signatureAlgorithm = "1.2.840.10045.4.3.3" },
      flaw("no key usage") { $0.keyUsage = nil },
      flaw("another key usage") { $0.keyUsage = 0b0000_1000 },
      flaw("an unknown critical extension") {
        $0.extensions.append(.init(unknown, critical: true, [5, 0]))
      },
      flaw("constraints that are no DER") {
        $0.extensions.append(.init("2.5.29.30", critical: false, [0xff]))
      },
    ]
  }

  static let pckCRLChain: [Flaw] =
    certificate(.pckCRLChainInvalid, "PCK CA") { $1(&$0.pckCA) } + [
      Flaw(.pckCRLChainInvalid, "no CA", recipe: { $0.pckCA.isCA = false }),
      Flaw(
        .pckCRLChainInvalid, "may not sign lists", recipe: { $0.pckCA.keyUsage = 0b0000_0100 }),
      Flaw(
        .pckCRLChainInvalid, "may not sign certificates",
        recipe: { $0.pckCA.keyUsage = 0b0000_0010 }),
      Flaw(
        .pckCRLChainInvalid, "beyond the root's path length",
        recipe: {
          $0.root.pathLength = nil
          $0.root.isCA = false
        }),
      Flaw(
        .pckCRLChainInvalid, "a root that may not sign", recipe: { $0.root.keyUsage = 0b1000_0000 }),
      Flaw(
        .pckCRLChainInvalid, "no text", evidence: { $0.collateral["pck_crl_issuer_chain"] = "\"\"" }
      ),
      Flaw(
        .pckCRLChainInvalid, "the TCB signing chain",
        evidence: { $0.collateral["pck_crl_issuer_chain"] = $0.collateral["tcb_info_issuer_chain"] }
      ),
      Flaw(
        .pckCRLChainNotCurrent, "the CA a second before its time",
        recipe: { $0.pckCA.notBefore = $0.now + 1 }),
      Flaw(
        .pckCRLChainNotCurrent, "the CA a second after its time",
        recipe: { $0.pckCA.notAfter = $0.now - 1 }),
      Flaw(
        .pckCRLChainNotCurrent, "the root a second before its time",
        recipe: { $0.root.notBefore = $0.now + 1 }),
      Flaw(
        .pckCRLChainNotCurrent, "the root a second after its time",
        recipe: { $0.root.notAfter = $0.now - 1 }),
      Flaw(
        .pckCRLChainInvalid, "invalid counts before the dates",
        recipe: {
          $0.pckCA.notAfter = $0.now - 1
          $0.pckCA.isCA = false
        }),
      Flaw(.pckCRLChainRevoked, "the CA", recipe: { $0.rootCRL.revokedSerials = [9, 2] }),
      Flaw(
        .pckCRLChainRevoked, "the CA, whatever the reason",
        recipe: {
          $0.rootCRL.revokedSerials = [2]
          $0.rootCRL.reason = 8
        }),
      Flaw(
        .pckCRLChainNotCurrent, "dates count before revocation",
        recipe: {
          $0.pckCA.notAfter = $0.now - 1
          $0.rootCRL.revokedSerials = [2]
        }),
    ]

  static let pckChain: [Flaw] =
    certificate(.pckChainInvalid, "PCK certificate") { $1(&$0.pck) }
    + certificate(.pckChainInvalid, "PCK CA in the quote") {
      var authority = $0.pckCA
      $1(&authority)
      $0.quotePCKCA = authority
    } + [
      Flaw(.pckChainInvalid, "a leaf that is a CA", recipe: { $0.pck.isCA = true }),
      Flaw(
        .pckChainInvalid, "beyond the CA's path length",
        recipe: { pki in
          pki.quotePCKCA = pki.pckCA
          pki.quotePCKCA?.isCA = false
        }),
      Flaw(
        .pckChainNotCurrent, "the leaf a second before its time",
        recipe: { $0.pck.notBefore = $0.now + 1 }),
      Flaw(
        .pckChainNotCurrent, "the leaf a second after its time",
        recipe: { $0.pck.notAfter = $0.now - 1 }),
      Flaw(
        .pckChainNotCurrent, "the CA in the quote",
        recipe: { pki in
          pki.quotePCKCA = pki.pckCA
          pki.quotePCKCA?.notAfter = pki.now - 1
        }),
      Flaw(
        .pckChainRevoked, "the CA in the quote",
        recipe: { pki in
          pki.quotePCKCA = pki.pckCA
          pki.quotePCKCA?.serial = 22
          pki.rootCRL.revokedSerials = [22]
        }),
      Flaw(.pckChainRevoked, "the leaf", recipe: { $0.pckCRL.revokedSerials = [3, 4] }),
      Flaw(
        .pckCRLMismatch, "a list of the other CA",
        recipe: { pki in
          pki.quotePCKCA = pki.pckCA
          pki.pckCA.name = "Intel SGX PCK Processor CA"
          pki.pckCRL.issuerName = "Intel SGX PCK Processor CA"
          pki.pckCRL.revokedSerials = [4]
        }),
      Flaw(
        .pckCRLMismatch, "a list of another key of the same name",
        recipe: { pki in
          pki.quotePCKCA = pki.pckCA
          pki.pckCA.key = pki.keys.stranger
          pki.pckCRL.issuerKey = pki.keys.stranger
        }),
    ]

  /// The same flaws of a list.
  private static func list(
    _ invalid: QuoteFailure, _ notCurrent: QuoteFailure,
    _ change: @escaping @Sendable (inout TestPKI, (inout CRLRecipe) -> Void) -> Void, field: String
  ) -> [Flaw] {
    func flaw(_ name: String, _ spoil: @escaping @Sendable (inout CRLRecipe) -> Void) -> Flaw {
      Flaw(invalid, name, recipe: { change(&$0, spoil) })
    }
    func bytes(_ name: String, _ spoil: @escaping @Sendable (String) -> String) -> Flaw {
      Flaw(invalid, name, evidence: { $0.collateral[field] = spoil($0.collateral[field] ?? "") })
    }
    return [
      flaw("another issuer's name") { $0.issuerName = "Somebody" },
      flaw("signed by a stranger") { $0.issuerKey = TestPKI.shared.stranger },
      flaw("no number") { $0.number = nil },
      flaw("no authority key identifier") { $0.hasAuthorityKeyIdentifier = false },
      flaw("no next update") { $0.nextUpdate = nil },
      flaw("a critical extension") {
        $0.extensions = [.init("2.5.29.28", critical: true, [0x30, 0])]
      },
      flaw("a critical extension of an entry") {
        $0.revokedSerials = [77]
        $0.entryExtensions = [.init("2.5.29.29", critical: true, [0x30, 0])]
      },
      flaw("said to be signed with SHA-384") { $0.signatureAlgorithm = "1.2.840.10045.4.3.3" },
      bytes("no byte") { _ in "\"\"" },
      bytes("a byte too many") { $0.dropLast() + "00\"" },
      bytes("a byte too few") { $0.dropLast(3) + "\"" },
      bytes("no list") { _ in "\"3000\"" },
      Flaw(
        notCurrent, "a second before it",
        recipe: { pki in
          let now = pki.now
          change(&pki) { $0.thisUpdate = now + 1 }
        }),
      Flaw(
        notCurrent, "a second after it",
        recipe: { pki in
          let now = pki.now
          change(&pki) { $0.nextUpdate = now - 1 }
        }),
    ]
  }

  static let lists: [Flaw] =
    list(.rootCRLInvalid, .rootCRLNotCurrent, { $1(&$0.rootCRL) }, field: "root_ca_crl")
    + list(.pckCRLInvalid, .pckCRLNotCurrent, { $1(&$0.pckCRL) }, field: "pck_crl")

  static let documentChains: [Flaw] =
    certificate(.tcbInfoChainInvalid, "TCB signing") { $1(&$0.tcbSigning) }
    + certificate(.qeIdentityChainInvalid, "QE identity signing") {
      var signing = $0.tcbSigning
      $1(&signing)
      $0.qeSigning = signing
    } + [
      Flaw(.tcbInfoChainInvalid, "a signer that is a CA", recipe: { $0.tcbSigning.isCA = true }),
      Flaw(
        .tcbInfoChainInvalid, "the PCK CA's chain",
        evidence: { $0.collateral["tcb_info_issuer_chain"] = $0.collateral["pck_crl_issuer_chain"] }
      ),
      Flaw(
        .tcbInfoChainNotCurrent, "the signer",
        recipe: {
          $0.qeSigning = $0.tcbSigning
          $0.tcbSigning.notAfter = $0.now - 1
        }),
      Flaw(.tcbInfoChainRevoked, "the signer", recipe: { $0.rootCRL.revokedSerials = [3] }),
      Flaw(
        .qeIdentityChainNotCurrent, "the signer",
        recipe: {
          $0.qeSigning = $0.tcbSigning
          $0.qeSigning?.notBefore = $0.now + 1
        }),
      Flaw(
        .qeIdentityChainRevoked, "the signer",
        recipe: {
          $0.qeSigning = $0.tcbSigning
          $0.qeSigning?.serial = 33
          $0.rootCRL.revokedSerials = [33]
        }),
      Flaw(
        .qeIdentityChainInvalid, "no text",
        evidence: { $0.collateral["qe_identity_issuer_chain"] = "\"\"" }),
    ]

  static let extensions: [Flaw] = [
    Flaw(.pckExtension, "none", recipe: { $0.pckExtension = nil }),
    Flaw(.pckExtension, "no PPID", recipe: { $0.pckExtension?.ppid = nil }),
    Flaw(.pckExtension, "a PPID of 15 bytes", recipe: { $0.pckExtension?.ppid?.removeLast() }),
    Flaw(.pckExtension, "no first component", recipe: { $0.pckExtension?.missingComponent = 1 }),
    Flaw(
      .pckExtension, "no sixteenth component", recipe: { $0.pckExtension?.missingComponent = 16 }),
    Flaw(.pckExtension, "a component of 256", recipe: { $0.pckExtension?.components[4] = 256 }),
    Flaw(.pckExtension, "a PCESVN of 65536", recipe: { $0.pckExtension?.pceSVN = 65_536 }),
    Flaw(.pckExtension, "no CPUSVN", recipe: { $0.pckExtension?.cpuSVN = nil }),
    Flaw(.pckExtension, "a CPUSVN of 17 bytes", recipe: { $0.pckExtension?.cpuSVN?.append(0) }),
    Flaw(.pckExtension, "no PCEID", recipe: { $0.pckExtension?.pceID = nil }),
    Flaw(.pckExtension, "a PCEID of 3 bytes", recipe: { $0.pckExtension?.pceID?.append(0) }),
    Flaw(.pckExtension, "no FMSPC", recipe: { $0.pckExtension?.fmspc = nil }),
    Flaw(.pckExtension, "two FMSPCs", recipe: { $0.pckExtension?.hasSecondFMSPC = true }),
    Flaw(.pckExtension, "a byte behind it", recipe: { $0.pckExtension?.trailing = [0] }),
  ]
}
