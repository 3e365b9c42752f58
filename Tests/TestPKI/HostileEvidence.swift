import Crypto

/// What a peer may send to hurt whoever judges it: all of it is to be refused, soon, and at little
/// cost in memory.
package struct HostileEvidence: Sendable {
  package let name: String
  package let quote: [UInt8]
  package let collateral: [UInt8]

  /// Sound but for one thing each.
  package static func all() -> [HostileEvidence] {
    let sound = TestPKI().evidence()
    return inFields(sound) + inChains(sound) + inLists(sound) + inQuotes(sound)
  }

  private static func inFields(_ sound: Evidence) -> [HostileEvidence] {
    jsonBombs.flatMap { bomb in
      sound.collateral.keys.sorted().map { field in
        var changed = sound
        changed.collateral[field] = bomb.text
        return HostileEvidence("\(bomb.name) in \(field)", changed)
      }
    }
  }

  private static func inChains(_ sound: Evidence) -> [HostileEvidence] {
    let chains = ["pck_crl_issuer_chain", "tcb_info_issuer_chain", "qe_identity_issuer_chain"]
    return (derBombs + certificateBombs()).flatMap { bomb in
      let pem = CertificateRecipe.pem([bomb.der, sound.rootDER])
      return chains.map { field in
        var changed = sound
        changed.collateral[field] = JSONText.string(pem)
        return HostileEvidence("\(bomb.name) in \(field)", changed)
      }
    }
  }

  private static func inLists(_ sound: Evidence) -> [HostileEvidence] {
    derBombs.flatMap { bomb in
      ["root_ca_crl", "pck_crl"].map { field in
        var changed = sound
        changed.collateral[field] = "\"\(Hex.encode(bomb.der))\""
        return HostileEvidence("\(bomb.name) in \(field)", changed)
      }
    } + [longList(sound)]
  }

  private static func inQuotes(_ sound: Evidence) -> [HostileEvidence] {
    let pki = TestPKI()
    let chains = [
      ("blocks without an end", String(repeating: "-----BEGIN CERTIFICATE-----\n", count: 2000)),
      (
        "many empty blocks",
        String(
          repeating: "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n", count: 1100)
      ),
      (
        "a long block",
        "-----BEGIN CERTIFICATE-----\n" + String(repeating: "A", count: 60_000)
          + "\n-----END CERTIFICATE-----\n"
      ),
      ("dashes", String(repeating: "-", count: 62_000)),
    ]
    return chains.map { name, chain in
      var changed = sound
      changed.quote = pki.quote.bytes(pckKey: pki.pck.key, chain: chain)
      return HostileEvidence("\(name) in the quote", changed)
    }
  }

  private init(_ name: String, _ evidence: Evidence) {
    self.name = name
    quote = evidence.quote
    collateral = evidence.collateralJSON
  }
}

extension HostileEvidence {
  /// In place of a field of the collateral.
  package static let jsonBombs: [(name: String, text: String)] = [
    ("deep arrays", String(repeating: "[", count: 100_000)),
    ("deep objects", String(repeating: "{\"a\":", count: 40_000)),
    ("many numbers", "[" + String(repeating: "0,", count: 110_000) + "0]"),
    ("many digits", "\"" + String(repeating: "00", count: 110_000) + "\""),
    ("a long number", String(repeating: "9", count: 200_000)),
    ("a long text", "\"" + String(repeating: "a", count: 200_000) + "\""),
    ("many escapes", "\"" + String(repeating: "\\u0000", count: 35_000) + "\""),
    ("many blocks", "\"" + String(repeating: "-----BEGIN ", count: 20_000) + "\""),
    ("nested DER", "\"" + String(repeating: "3080", count: 50_000) + "\""),
  ]

  /// In place of a certificate or a list.
  package static let derBombs: [(name: String, der: [UInt8])] = [
    ("nothing", []), ("a length without bytes", [0x30, 0x83, 0xff, 0xff, 0xff]),
    ("a length of 4 GiB", [0x30, 0x84, 0xff, 0xff, 0xff, 0xff]),
    ("a length of 2^64", [0x30, 0x88] + [UInt8](repeating: 0xff, count: 8)),
    ("a length of 126 bytes", [0x30, 0xfe] + [UInt8](repeating: 1, count: 200)),
    ("an indefinite length", [0x30, 0x80, 0x30, 0x80, 0, 0, 0, 0]),
    ("deep nesting", nested(2500)),
    ("many small values", DERText.sequence([UInt8](repeating: 0, count: 2500))),
    ("a high tag", [0x3f, 0x81, 0x81, 0x81, 0x01, 0x00]),
  ]

  private static func nested(_ size: Int) -> [UInt8] {
    var value: [UInt8] = [0x05, 0x00]
    while value.count < size { value = DERText.sequence(value) }
    return value
  }

  /// Certificates of the size that is still read, full of what OpenSSL makes objects of.
  private static func certificateBombs() -> [(name: String, der: [UInt8])] {
    var many = TestPKI().tcbSigning
    many.extensions = (0..<120).map { .init("1.2.\($0)", critical: false, [5, 0]) }
    var long = TestPKI().tcbSigning
    long.name = String(repeating: "n", count: 3300)
    var nested = TestPKI().tcbSigning
    nested.extensions = [.init("2.5.29.17", critical: false, Self.nested(3000))]
    return [
      ("many extensions", many.der()), ("a long name", long.der()),
      ("a nested alternative name", nested.der()),
    ]
  }

  /// Well-formed, as long as the collateral may be, and signed by nobody.
  private static func longList(_ sound: Evidence) -> HostileEvidence {
    var list = TestPKI().pckCRL
    list.revokedSerials = Array(1...4500)
    list.issuerKey = TestPKI.shared.stranger
    var changed = sound
    changed.collateral["pck_crl"] = "\"\(Hex.encode(list.der()))\""
    return HostileEvidence("a long list that is not signed", changed)
  }
}
