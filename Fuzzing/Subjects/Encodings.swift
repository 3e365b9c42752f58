import Crypto
import TestPKI

extension Subject {
  /// DER, certificates, PEM, base64 and hex: our own readers beside OpenSSL's.
  static let der = Subject(
    name: "der", longest: 2048,
    words: [
      "-----BEGIN CERTIFICATE-----\n", "\n-----END CERTIFICATE-----\n", "MII", "\u{30}\u{3}",
    ],
    seeds: encodingSeeds
  ) { bytes throws(Finding) in
    try checkElements(bytes[...], depth: 0)
    let isOne = DER.isOneValue(bytes[...], depthLimit: 12, valueLimit: 400)
    if isOne {
      try require(!DER.isOneValue((bytes + [0])[...], depthLimit: 12, valueLimit: 400), "a tail")
      try require(
        !DER.isOneValue(bytes.dropLast(), depthLimit: 12, valueLimit: 400), "a cut value")
    }
    if let certificate = X509Certificate(der: bytes) {
      try require(isOne && bytes.count <= X509Certificate.sizeLimit, "a certificate that is none")
      try require(certificate.namesAsIssuer(certificate) || true, "")
      _ = certificate.publicKey()
      _ = certificate.isVersion3OnP256
      _ = certificate.extensions([0x55, 0x1d, 0x0e])
    }
    for der in PEM.certificates(bytes[...], limit: 4) ?? [] {
      try require(der.count <= bytes.count, "more than was sent")
      _ = X509Certificate(der: der)
    }
    try checkTexts(bytes)
  }

  /// Values are what their encodings say, one after the other, inside of each other.
  private static func checkElements(_ bytes: ArraySlice<UInt8>, depth: Int) throws(Finding) {
    guard depth < 16 else { return }
    var reader = DERReader(bytes)
    var expected = bytes.startIndex
    while let element = reader.next() {
      try require(element.encoding.startIndex == expected, "a gap between values")
      expected = element.encoding.endIndex
      try require(element.contents.endIndex == expected, "contents that end elsewhere")
      var again = DERReader(Array(element.encoding))
      try require(
        again.next().map { Array($0.contents) } == Array(element.contents) && again.isAtEnd,
        "its encoding is another value")
      if element.isConstructed { try checkElements(element.contents, depth: depth + 1) }
      if let number = DER.unsigned(element.contents, upTo: .max) {
        try require(element.contents.count < 6 && number >= 0, "a number that does not fit")
      }
    }
  }

  private static func checkTexts(_ bytes: [UInt8]) throws(Finding) {
    try require(Hex.decode(Hex.encode(bytes)) == bytes, "hex does not come back")
    try require(Base64.decode(Base64.encode(bytes)) == bytes, "base64 does not come back")
    try require(Base64URL.decode(Base64URL.encode(bytes)) == bytes, "base64url does not come back")
    let text = String(decoding: bytes, as: UTF8.self)
    if let decoded = Base64.decode(text) {
      try require(Base64.encode(decoded) == text, "a second spelling in base64")
    }
    if let decoded = Base64URL.decode(text) {
      try require(Base64URL.encode(decoded) == text, "a second spelling in base64url")
    }
    if let decoded = Hex.decode(text) {
      try require(Hex.encode(decoded) == text.lowercased(), "a second spelling in hex")
    }
  }
}

private let encodingSeeds: [[UInt8]] = {
  let evidence = TestPKI().evidence()
  return evidence.chains.flatMap(\.self) + evidence.lists
    + evidence.chains.map { Array(CertificateRecipe.pem([$0[0]]).utf8) }
}()
