/// How a revocation list is to be. The defaults make a sound, empty one.
package struct CRLRecipe: Sendable {
  package var issuerName: String
  package var issuerKey: SigningKey
  package var thisUpdate: Int64
  package var nextUpdate: Int64?
  package var revokedSerials: [Int] = []
  /// The reason of each entry (RFC 5280, section 5.3.1); 8 is removeFromCRL.
  package var reason: Int?
  package var number: Int? = 1
  package var hasAuthorityKeyIdentifier = true
  package var extensions: [CertificateRecipe.Extension] = []
  package var entryExtensions: [CertificateRecipe.Extension] = []
  package var signatureAlgorithm = "1.2.840.10045.4.3.2"

  package func der() -> [UInt8] {
    let algorithm = DERText.sequence(DERText.identifier(signatureAlgorithm))
    let entries = revokedSerials.flatMap { entry($0) }
    let body = DERText.sequence(
      DERText.integer(1), algorithm, CertificateRecipe.name(issuerName),
      DERText.time(thisUpdate), nextUpdate.map { DERText.time($0) } ?? [],
      entries.isEmpty ? [] : DERText.sequence(entries), DERText.explicit(0, extensionList))
    return DERText.sequence(body, algorithm, DERText.bits(issuerKey.sign(body)))
  }

  private func entry(_ serial: Int) -> [UInt8] {
    var all = entryExtensions
    if let reason {
      all.append(
        CertificateRecipe.Extension(
          "2.5.29.21", critical: false, DERText.value(0x0a, [UInt8(reason)])))
    }
    let list = all.flatMap { CertificateRecipe.encode($0) }
    return DERText.sequence(
      DERText.integer(serial), DERText.time(thisUpdate),
      list.isEmpty ? [] : DERText.sequence(list))
  }

  private var extensionList: [UInt8] {
    var all = extensions
    if hasAuthorityKeyIdentifier {
      all.append(
        CertificateRecipe.Extension(
          "2.5.29.35", critical: false,
          DERText.sequence(DERText.value(0x80, issuerKey.identifier))))
    }
    if let number {
      all.append(
        CertificateRecipe.Extension("2.5.29.20", critical: false, DERText.integer(number)))
    }
    return DERText.sequence(all.flatMap { CertificateRecipe.encode($0) })
  }
}
