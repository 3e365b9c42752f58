import Crypto

/// How a certificate is to be. The defaults make a sound one.
package struct CertificateRecipe: Sendable {
  package struct Extension: Sendable {
    package var identifier: String
    package var isCritical: Bool
    package var value: [UInt8]

    package init(_ identifier: String, critical isCritical: Bool, _ value: [UInt8]) {
      self.identifier = identifier
      self.isCritical = isCritical
      self.value = value
    }
  }

  package var name: String
  package var issuerName: String
  package var key: SigningKey
  package var issuerKey: SigningKey
  package var serial: Int
  package var notBefore: Int64
  package var notAfter: Int64
  /// As encoded: 2 is version 3, which alone has extensions.
  package var version = 2
  package var isCA: Bool
  package var pathLength: Int?
  /// The first octet of the key usage bits; `nil` for none at all.
  package var keyUsage: UInt8?
  package var hasKeyIdentifiers = true
  package var signatureAlgorithm = "1.2.840.10045.4.3.2"
  package var extensions: [Extension] = []

  /// Key usages (RFC 5280, section 4.2.1.3).
  package static let signsCertificatesAndLists: UInt8 = 0b0000_0110
  package static let makesSignatures: UInt8 = 0b1000_0000

  /// A fresh encoding: ECDSA signatures differ each time.
  package func der() -> [UInt8] {
    let algorithm = DERText.sequence(DERText.identifier(signatureAlgorithm))
    let body = DERText.sequence(
      version == 0 ? [] : DERText.explicit(0, DERText.integer(version)),
      DERText.integer(serial), algorithm, Self.name(issuerName),
      DERText.sequence(DERText.time(notBefore), DERText.time(notAfter)), Self.name(name),
      key.publicKeyInfo, version == 2 ? DERText.explicit(3, extensionList) : [])
    return DERText.sequence(body, algorithm, DERText.bits(issuerKey.sign(body)))
  }

  private var extensionList: [UInt8] {
    var all: [Extension] = []
    if hasKeyIdentifiers {
      all.append(
        Extension(
          "2.5.29.35", critical: false,
          DERText.sequence(DERText.value(0x80, issuerKey.identifier))))
      all.append(Extension("2.5.29.14", critical: false, DERText.octets(key.identifier)))
    }
    if let keyUsage {
      let unused = UInt8(keyUsage.trailingZeroBitCount)
      all.append(
        Extension("2.5.29.15", critical: true, DERText.bits([keyUsage], unused: unused)))
    }
    let constraints =
      (isCA ? DERText.boolean(true) : []) + (pathLength.map { DERText.integer($0) } ?? [])
    all.append(
      Extension("2.5.29.19", critical: true, DERText.value(DERTag.sequence, constraints)))
    return DERText.value(DERTag.sequence, (all + extensions).flatMap { Self.encode($0) })
  }

  static func encode(_ item: Extension) -> [UInt8] {
    DERText.sequence(
      DERText.identifier(item.identifier), item.isCritical ? DERText.boolean(true) : [],
      DERText.octets(item.value))
  }

  static func name(_ commonName: String) -> [UInt8] {
    func part(_ identifier: String, _ text: String) -> [UInt8] {
      DERText.set(DERText.sequence(DERText.identifier(identifier), DERText.utf8(text)))
    }
    return DERText.sequence(
      part("2.5.4.3", commonName), part("2.5.4.10", "Made by a test, never trusted"))
  }
}

extension CertificateRecipe {
  /// The DER of several certificates as PEM, each with a newline at its end.
  package static func pem(_ certificates: [[UInt8]]) -> String {
    certificates.map { der in
      var lines = "-----BEGIN CERTIFICATE-----\n"
      var rest = Base64.encode(der)[...]
      while !rest.isEmpty {
        lines += rest.prefix(64) + "\n"
        rest = rest.dropFirst(64)
      }
      return lines + "-----END CERTIFICATE-----\n"
    }.joined()
  }
}
