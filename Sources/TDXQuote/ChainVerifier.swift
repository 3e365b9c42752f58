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

/// Verifies chains to one pinned root, and the lists of who was revoked, at one time
/// (specification, section 4).
struct ChainVerifier: ~Copyable {
  private let anchor: [UInt8]
  private let root: X509Certificate
  private let rootIsSound: Bool
  private let store: CertificateStore
  private let now: Int64
  /// The last second at which everything that was accepted so far holds.
  private(set) var holdsUntil: Int64

  /// - Throws: `root-crl-invalid` when the anchor is no certificate at all.
  init(anchor: TrustAnchor, now: Int64) throws(QuoteFailure) {
    guard let root = X509Certificate(der: anchor.der) else { throw .rootCRLInvalid }
    self.anchor = anchor.der
    rootIsSound = Self.isSound(root)
    store = CertificateStore(root: root)
    self.root = root
    self.now = now
    holdsUntil = .max
  }

  private static func isSound(_ root: borrowing X509Certificate) -> Bool {
    root.isVersion3OnP256 && root.isCAForCertificatesAndLists
      && !root.hasUnknownCriticalExtension && root.isSelfSigned
  }
}

extension ChainVerifier {
  /// The list of the certificates that the root has revoked.
  mutating func rootCRL(_ der: [UInt8]) throws(QuoteFailure) -> CRL {
    guard let list = CRL(der: der, issuer: root) else { throw .rootCRLInvalid }
    guard holds(from: list.thisUpdate, to: list.nextUpdate) else { throw .rootCRLNotCurrent }
    return list
  }

  mutating func pckCRL(
    _ der: [UInt8], issuer: borrowing X509Certificate
  ) throws(QuoteFailure) -> CRL {
    guard let list = CRL(der: der, issuer: issuer) else { throw .pckCRLInvalid }
    guard holds(from: list.thisUpdate, to: list.nextUpdate) else { throw .pckCRLNotCurrent }
    return list
  }

  /// A chain of two: a certificate of `role`, and the root that issued it.
  mutating func certificate(
    _ role: CertificateRole, inChain pem: [UInt8], rootCRL: borrowing CRL, failures: ChainFailures
  ) throws(QuoteFailure) -> X509Certificate {
    guard let blocks = PEM.certificates(pem[...], limit: 2), blocks.count == 2,
      blocks[1] == anchor, rootIsSound, let certificate = X509Certificate(der: blocks[0]),
      Self.isSound(certificate, as: role), certificate.namesAsIssuer(root),
      store.issued(certificate)
    else { throw failures.invalid }
    guard holds(from: root.notBefore, to: root.notAfter),
      holds(from: certificate.notBefore, to: certificate.notAfter)
    else { throw failures.notCurrent }
    guard !rootCRL.lists(certificate) else { throw failures.revoked }
    return certificate
  }

  /// Step 10 up to the extension: the chain inside the quote, whose leaf is the platform's.
  mutating func pckCertificate(
    inChain pem: ArraySlice<UInt8>, rootCRL: borrowing CRL, pckCRL: borrowing CRL
  ) throws(QuoteFailure) -> X509Certificate {
    guard let blocks = PEM.certificates(pem, limit: 3), blocks.count == 3, blocks[2] == anchor,
      rootIsSound, let leaf = X509Certificate(der: blocks[0]),
      let authority = X509Certificate(der: blocks[1]),
      Self.isSound(leaf, as: .pck), Self.isSound(authority, as: .pckCA),
      leaf.namesAsIssuer(authority), authority.namesAsIssuer(root),
      store.issued(leaf, through: authority), let authorityKey = authority.publicKey()
    else { throw .pckChainInvalid }
    guard holds(from: root.notBefore, to: root.notAfter),
      holds(from: authority.notBefore, to: authority.notAfter),
      holds(from: leaf.notBefore, to: leaf.notAfter)
    else { throw .pckChainNotCurrent }
    guard !rootCRL.lists(authority) else { throw .pckChainRevoked }
    guard pckCRL.isOfIssuer(of: leaf), pckCRL.isSigned(by: authorityKey) else {
      throw .pckCRLMismatch
    }
    guard !pckCRL.lists(leaf) else { throw .pckChainRevoked }
    return leaf
  }

  /// Remembers the end of a document that is dated outside of X.509.
  mutating func hold(_ dates: SignedDates) -> Bool {
    holds(from: dates.issueDate, to: dates.nextUpdate)
  }

  private static func isSound(
    _ certificate: borrowing X509Certificate, as role: CertificateRole
  ) -> Bool {
    certificate.isVersion3OnP256 && !certificate.hasUnknownCriticalExtension
      && role.fits(certificate)
  }

  private mutating func holds(from first: Int64, to last: Int64) -> Bool {
    holdsUntil = min(holdsUntil, last)
    return first <= now && now <= last
  }
}
