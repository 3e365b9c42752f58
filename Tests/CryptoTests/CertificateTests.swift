import COpenSSL
import Crypto
import TestPKI
import Testing

/// Certificates, lists and the store of one root.
@Suite struct CertificateTests {
  private func isCertificate(_ der: [UInt8]) -> Bool { X509Certificate(der: der) != nil }

  private func parse(_ recipe: CertificateRecipe) throws -> X509Certificate {
    let der = recipe.der()
    guard let certificate = X509Certificate(der: der) else {
      Issue.record("no certificate")
      throw CancellationError()
    }
    return certificate
  }

  @Test func tellsWhatACertificateSays() throws {
    let pki = TestPKI()
    let root = try parse(pki.root)
    let authority = try parse(pki.pckCA)
    let leaf = try parse(pki.pck)
    let facts = [
      root.isCAForCertificatesAndLists, authority.isCAForCertificatesAndLists,
      !leaf.isCA, leaf.mayMakeDigitalSignatures, !authority.mayMakeDigitalSignatures,
      root.isSelfSigned, !authority.isSelfSigned, leaf.isVersion3OnP256,
      !leaf.hasUnknownCriticalExtension, leaf.namesAsIssuer(authority),
      !leaf.namesAsIssuer(root), authority.namesAsIssuer(root),
    ]
    #expect(facts.allSatisfy { $0 })
    let (name, from, to) = (leaf.commonName, leaf.notBefore, leaf.notAfter)
    #expect(name == "Intel SGX PCK Certificate")
    #expect(from == pki.pck.notBefore)
    #expect(to == pki.pck.notAfter)
  }

  @Test func aCertificateIsReadToItsLastByte() {
    let der = TestPKI().pckCA.der()
    for length in 0..<der.count { #expect(!isCertificate(Array(der.prefix(length)))) }
    #expect(!isCertificate(der + [0]))
  }

  @Test func aCertificateMayHaveSoManyBytes() throws {
    func certificate(_ padding: Int) -> [UInt8] {
      var recipe = TestPKI().pck
      let filler = [UInt8](repeating: 0, count: padding)
      recipe.extensions = [.init("1.2.3.4", critical: false, filler)]
      return recipe.der()
    }
    // The signature's length differs by a few bytes from one time to the next.
    let usual = certificate(3000).count - 3000
    #expect(isCertificate(certificate(X509Certificate.sizeLimit - usual - 8)))
    #expect(!isCertificate(certificate(X509Certificate.sizeLimit - usual + 8)))
  }

  @Test func aStoreAcceptsWhatItsRootIssued() throws {
    let pki = TestPKI()
    let root = try parse(pki.root)
    let authority = try parse(pki.pckCA)
    let leaf = try parse(pki.pck)
    let store = CertificateStore(root: root)
    let verdicts = [
      store.issued(authority), store.issued(leaf, through: authority), !store.issued(leaf),
      !store.issued(authority, through: leaf),
    ]
    #expect(verdicts.allSatisfy { $0 })
  }

  @Test func aStoreAcceptsNoOtherRoot() throws {
    var other = TestPKI()
    other.root.key = other.keys.stranger
    other.root.issuerKey = other.keys.stranger
    let root = try parse(other.root)
    let authority = try parse(TestPKI().pckCA)
    let store = CertificateStore(root: root)
    let accepts = store.issued(authority)
    #expect(!accepts)
  }

  /// C-157: whatever was left in OpenSSL's list of errors decides nothing, and nothing of ours is
  /// left there.
  enum Operation: CaseIterable {
    case goodSignature, badSignature, noPoint, certificate, noCertificate, chain, strangeChain,
      list,
      noList
  }

  @Test(arguments: Operation.allCases)
  func clearsTheErrorQueueBeforeAndAfter(_ operation: Operation) throws {
    let pki = TestPKI()
    let root = try parse(pki.root)
    let authority = try parse(pki.pckCA)
    guard let rootKey = root.publicKey() else {
      Issue.record("no key")
      return
    }
    let message: [UInt8] = [1, 2, 3]
    let signature = pki.keys.root.signRaw(message)
    let certificate = pki.pck.der()
    let list = pki.rootCRL.der()
    let strangeList = pki.pckCRL.der()
    let store = CertificateStore(root: root)
    leaveAnError()
    let isRight: Bool
    switch operation {
    case .goodSignature: isRight = rootKey.isSignature(signature, over: message)
    case .badSignature: isRight = !rootKey.isSignature(signature, over: [4])
    case .noPoint:
      isRight = ECDSAP256.PublicKey(coordinates: [UInt8](repeating: 1, count: 64)) == nil
    case .certificate: isRight = X509Certificate(der: certificate) != nil
    case .noCertificate: isRight = X509Certificate(der: [0x30, 0x03, 0x02, 0x01, 0x00]) == nil
    case .chain: isRight = store.issued(authority)
    case .strangeChain: isRight = !store.issued(authority, through: authority)
    case .list: isRight = CRL(der: list, issuer: root, key: rootKey) != nil
    case .noList: isRight = CRL(der: strangeList, issuer: root, key: rootKey) == nil
    }
    #expect(isRight)
    #expect(ERR_peek_error() == 0)
  }

  private func leaveAnError() {
    [UInt8]([0x30, 0x01]).withUnsafeBufferPointer { bytes in
      var cursor = bytes.baseAddress
      #expect(d2i_X509(nil, &cursor, bytes.count) == nil)
    }
    #expect(ERR_peek_error() != 0)
  }
}
