import Crypto

/// A stand-in for Intel: a root, the certificates below it, revocation lists, signed documents and
/// a platform that makes quotes. Made when the tests run; nothing outside of them trusts it.
///
/// The defaults are accepted by a verifier that is given `rootDER`; a test changes one thing and
/// says which failure comes of it.
package struct TestPKI: Sendable {
  /// The keys are made once for a run: what is signed with them differs, not the keys.
  package struct Keys: Sendable {
    package let root = SigningKey()
    package let pckCA = SigningKey()
    package let tcbSigning = SigningKey()
    package let pck = SigningKey()
    package let attestation = SigningKey()
    /// Signs what it has no business to sign.
    package let stranger = SigningKey()

    package init() {}
  }

  package static let shared = Keys()
  package static let day: Int64 = 86_400

  package let keys: Keys
  /// The time that everything is sound at.
  package let now: Int64

  package var root: CertificateRecipe
  package var pckCA: CertificateRecipe
  /// As in the quote's own chain; `nil` for `pckCA`.
  package var quotePCKCA: CertificateRecipe?
  package var tcbSigning: CertificateRecipe
  /// Behind the QE identity; `nil` for `tcbSigning`.
  package var qeSigning: CertificateRecipe?
  package var pck: CertificateRecipe
  package var pckExtension: PCKExtensionRecipe? = PCKExtensionRecipe()
  package var rootCRL: CRLRecipe
  package var pckCRL: CRLRecipe
  package var tcbInfo: TCBInfoRecipe
  package var qeIdentity: QEIdentityRecipe
  package var quote: QuoteRecipe

  /// - Parameter now: Unix seconds.
  package init(now: Int64 = 1_790_000_000, keys: Keys = Self.shared) {
    self.now = now
    self.keys = keys
    let (rootName, caName) = ("Intel SGX Root CA", "Intel SGX PCK Platform CA")
    let (years, days) = (365 * Self.day, Self.day)
    root = CertificateRecipe(
      name: rootName, issuerName: rootName, key: keys.root, issuerKey: keys.root, serial: 1,
      notBefore: now - 5 * years, notAfter: now + 20 * years, isCA: true, pathLength: 1,
      keyUsage: CertificateRecipe.signsCertificatesAndLists)
    pckCA = CertificateRecipe(
      name: caName, issuerName: rootName, key: keys.pckCA, issuerKey: keys.root, serial: 2,
      notBefore: now - 4 * years, notAfter: now + 10 * years, isCA: true, pathLength: 0,
      keyUsage: CertificateRecipe.signsCertificatesAndLists)
    tcbSigning = CertificateRecipe(
      name: "Intel SGX TCB Signing", issuerName: rootName, key: keys.tcbSigning,
      issuerKey: keys.root, serial: 3, notBefore: now - 3 * years, notAfter: now + 7 * years,
      isCA: false, keyUsage: CertificateRecipe.makesSignatures)
    pck = CertificateRecipe(
      name: "Intel SGX PCK Certificate", issuerName: caName, key: keys.pck, issuerKey: keys.pckCA,
      serial: 4, notBefore: now - years, notAfter: now + 6 * years, isCA: false,
      keyUsage: CertificateRecipe.makesSignatures | 0b0100_0000)
    rootCRL = CRLRecipe(
      issuerName: rootName, issuerKey: keys.root, thisUpdate: now - 50 * days,
      nextUpdate: now + 40 * days)
    pckCRL = CRLRecipe(
      issuerName: caName, issuerKey: keys.pckCA, thisUpdate: now - 9 * days,
      nextUpdate: now + 21 * days)
    tcbInfo = TCBInfoRecipe(issueDate: now - 8 * days, nextUpdate: now + 22 * days)
    qeIdentity = QEIdentityRecipe(issueDate: now - 7 * days, nextUpdate: now + 23 * days)
    quote = QuoteRecipe(attestationKey: keys.attestation)
  }

  /// The last second at which all of the defaults hold.
  package var holdsUntil: Int64 { now + 21 * Self.day }
}

/// A quote, and what it is judged with.
package struct Evidence: Sendable {
  package var rootDER: [UInt8]
  package var quote: [UInt8]
  /// By name: texts and byte strings as JSON.
  package var collateral: [String: String]

  /// Leaf first, root last: PCK CRL issuer, TCB info, QE identity, PCK.
  package var chains: [[[UInt8]]]
  /// The root's revocation list and the platform's.
  package var lists: [[UInt8]]

  /// The collateral as a node sends it.
  package var collateralJSON: [UInt8] {
    let fields = collateral.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
    return Array("{\(fields.joined(separator: ","))}".utf8)
  }
}

extension TestPKI {
  /// Signs everything as the recipes say.
  ///
  /// - Parameter rootDER: the root of an earlier evidence, so that both lead to the same one.
  package func evidence(rootDER: [UInt8]? = nil) -> Evidence {
    let rootDER = rootDER ?? root.der()
    let ca = pckCA.der()
    let signer = tcbSigning.der()
    let identitySigner = qeSigning?.der() ?? signer
    let tcbText = tcbInfo.json
    let identityText = qeIdentity.json
    var leaf = pck
    if let pckExtension {
      leaf.extensions.append(
        CertificateRecipe.Extension(
          PCKExtensionRecipe.identifier, critical: false, pckExtension.value()))
    }
    let chain = [leaf.der(), quotePCKCA?.der() ?? ca, rootDER]
    let lists = [rootCRL.der(), pckCRL.der()]
    let texts = [
      "pck_crl_issuer_chain": CertificateRecipe.pem([ca, rootDER]),
      "tcb_info_issuer_chain": CertificateRecipe.pem([signer, rootDER]),
      "qe_identity_issuer_chain": CertificateRecipe.pem([identitySigner, rootDER]),
      "tcb_info": tcbText, "qe_identity": identityText,
    ].mapValues { JSONText.string($0) }
    let bytes = [
      "root_ca_crl": lists[0], "pck_crl": lists[1],
      "tcb_info_signature": tcbSigning.key.signRaw(Array(tcbText.utf8)),
      "qe_identity_signature": (qeSigning ?? tcbSigning).key.signRaw(Array(identityText.utf8)),
    ].mapValues { "\"\(Hex.encode($0))\"" }
    return Evidence(
      rootDER: rootDER,
      quote: quote.bytes(pckKey: pck.key, chain: CertificateRecipe.pem(chain)),
      collateral: texts.merging(bytes) { text, _ in text },
      chains: [[ca, rootDER], [signer, rootDER], [identitySigner, rootDER], chain], lists: lists)
  }
}
