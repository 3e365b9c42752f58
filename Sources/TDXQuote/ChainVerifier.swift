import Crypto

/// The codes of the three parts in which a chain is judged.
struct ChainFailures {
  let invalid: QuoteFailure
  let notCurrent: QuoteFailure
  let revoked: QuoteFailure

  static let pckCRL = ChainFailures(
    invalid: .pckCRLChainInvalid, notCurrent: .pckCRLChainNotCurrent, revoked: .pckCRLChainRevoked)
  static let tcbInfo = ChainFailures(
    invalid: .tcbInfoChainInvalid, notCurrent: .tcbInfoChainNotCurrent,
    revoked: .tcbInfoChainRevoked)
  static let qeIdentity = ChainFailures(
    invalid: .qeIdentityChainInvalid, notCurrent: .qeIdentityChainNotCurrent,
    revoked: .qeIdentityChainRevoked)
  static let pck = ChainFailures(
    invalid: .pckChainInvalid, notCurrent: .pckChainNotCurrent, revoked: .pckChainRevoked)
}

/// What a certificate is for. The names matter: without them a PCK certificate could pose as the
/// signer of a TCB info.
enum CertificateRole {
  case pckCA
  case tcbSigning
  case pck

  fileprivate var commonNames: [String] {
    switch self {
    case .pckCA: ["Intel SGX PCK Platform CA", "Intel SGX PCK Processor CA"]
    case .tcbSigning: ["Intel SGX TCB Signing"]
    case .pck: ["Intel SGX PCK Certificate"]
    }
  }

  fileprivate func fits(_ certificate: borrowing X509Certificate) -> Bool {
    guard let name = certificate.commonName, commonNames.contains(name) else { return false }
    return switch self {
    case .pckCA: certificate.isCAForCertificatesAndLists
    case .tcbSigning, .pck: !certificate.isCA && certificate.mayMakeDigitalSignatures
    }
  }
}

/// A certificate that the root issued and that was found good in its role.
final class GoodCertificate {
  let der: [UInt8]
  let role: CertificateRole
  let certificate: X509Certificate
  let key: ECDSAP256.PublicKey

  /// - Returns: `nil` when `der` is no sound certificate for `role`. Issuer, dates and revocation
  ///   are for the caller.
  init?(der: [UInt8], role: CertificateRole) {
    guard let certificate = X509Certificate(der: der), certificate.isVersion3OnP256,
      !certificate.hasUnknownCriticalExtension, role.fits(certificate),
      let key = certificate.publicKey()
    else { return nil }
    self.der = der
    self.role = role
    self.certificate = certificate
    self.key = key
  }
}

/// Verifies chains to one pinned root, and the lists of who was revoked, at one time
/// (specification, section 4).
struct ChainVerifier {
  private let anchor: TrustAnchor
  private let now: Int64
  /// The last second at which everything that was accepted so far holds.
  private(set) var holdsUntil = Int64.max
  /// What was accepted so far. The same certificate in the same role is not judged twice: TCB info
  /// and QE identity mostly have the same signer, and the platform's CA stands in two chains.
  private var accepted: [GoodCertificate] = []

  init(anchor: TrustAnchor, now: Int64) {
    self.anchor = anchor
    self.now = now
  }
}

extension ChainVerifier {
  /// The list of the certificates that the root has revoked.
  mutating func rootCRL(_ der: [UInt8]) throws(QuoteFailure) -> CRL {
    guard let key = anchor.certificate.publicKey(),
      let list = CRL(der: der, issuer: anchor.certificate, key: key)
    else { throw .rootCRLInvalid }
    guard holds(from: list.thisUpdate, to: list.nextUpdate) else { throw .rootCRLNotCurrent }
    return list
  }

  mutating func pckCRL(
    _ der: [UInt8], issuer: GoodCertificate
  ) throws(QuoteFailure) -> CRL {
    guard let list = CRL(der: der, issuer: issuer.certificate, key: issuer.key) else {
      throw .pckCRLInvalid
    }
    guard holds(from: list.thisUpdate, to: list.nextUpdate) else { throw .pckCRLNotCurrent }
    return list
  }

  /// A chain of two: a certificate of `role`, and the root that issued it.
  mutating func certificate(
    _ role: CertificateRole, inChain pem: [UInt8], rootCRL: borrowing CRL, failures: ChainFailures
  ) throws(QuoteFailure) -> GoodCertificate {
    guard let blocks = PEM.certificates(pem[...], limit: 2), blocks.count == 2,
      blocks[1] == anchor.der
    else { throw failures.invalid }
    if let known = known(blocks[0], role) { return known }
    guard anchor.isSound, let good = GoodCertificate(der: blocks[0], role: role),
      good.certificate.namesAsIssuer(anchor.certificate), anchor.store.issued(good.certificate)
    else { throw failures.invalid }
    guard holds(anchor.certificate), holds(good.certificate) else { throw failures.notCurrent }
    guard !rootCRL.lists(good.certificate) else { throw failures.revoked }
    accepted.append(good)
    return good
  }

  /// Step 10 up to the extension: the chain inside the quote, whose leaf is the platform's.
  ///
  /// - Parameter listIssuer: whose list `pckCRL` is known to be.
  mutating func pckCertificate(
    inChain pem: ArraySlice<UInt8>, rootCRL: borrowing CRL, pckCRL: borrowing CRL,
    listIssuer: GoodCertificate
  ) throws(QuoteFailure) -> GoodCertificate {
    guard let blocks = PEM.certificates(pem, limit: 3), blocks.count == 3,
      blocks[2] == anchor.der, anchor.isSound,
      let leaf = GoodCertificate(der: blocks[0], role: .pck),
      let authority = known(blocks[1], .pckCA) ?? GoodCertificate(der: blocks[1], role: .pckCA),
      leaf.certificate.namesAsIssuer(authority.certificate),
      authority.certificate.namesAsIssuer(anchor.certificate),
      anchor.store.issued(leaf.certificate, through: authority.certificate)
    else { throw .pckChainInvalid }
    guard holds(anchor.certificate), holds(authority.certificate), holds(leaf.certificate) else {
      throw .pckChainNotCurrent
    }
    guard !rootCRL.lists(authority.certificate) else { throw .pckChainRevoked }
    guard pckCRL.isOfIssuer(of: leaf.certificate),
      authority === listIssuer || pckCRL.isSigned(by: authority.key)
    else { throw .pckCRLMismatch }
    guard !pckCRL.lists(leaf.certificate) else { throw .pckChainRevoked }
    return leaf
  }

  /// Whether a document that is dated outside of X.509 holds.
  mutating func holds(_ dates: SignedDates) -> Bool {
    holds(from: dates.issueDate, to: dates.nextUpdate)
  }

  private func known(_ der: [UInt8], _ role: CertificateRole) -> GoodCertificate? {
    accepted.first { $0.role == role && $0.der == der }
  }

  private mutating func holds(_ certificate: borrowing X509Certificate) -> Bool {
    holds(from: certificate.notBefore, to: certificate.notAfter)
  }

  private mutating func holds(from first: Int64, to last: Int64) -> Bool {
    holdsUntil = min(holdsUntil, last)
    return first <= now && now <= last
  }
}
