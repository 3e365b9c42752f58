import Crypto
import Testing

/// The AES-256 test cases of the GCM specification (McGrew and Viega, cases 13 to 16), which
/// NIST's validation uses too.
@Suite struct AES256GCMTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let name: String
    let key: String
    let nonce: String
    var plaintext = ""
    var aad = ""
    var ciphertext = ""
    let tag: String
    var testDescription: String { name }
  }

  static let key = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"
  static let zeroKey = String(repeating: "0", count: 64)
  static let plaintext = """
    d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
    1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
    """
  static let ciphertext = """
    522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa
    8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662
    """

  static let vectors = [
    Vector(
      name: "13: nothing at all", key: zeroKey, nonce: "000000000000000000000000",
      tag: "530f8afbc74536b9a963b4f1c4cb738b"),
    Vector(
      name: "14: one block", key: zeroKey, nonce: "000000000000000000000000",
      plaintext: "00000000000000000000000000000000",
      ciphertext: "cea7403d4d606b6e074ec5d3baf39d18", tag: "d0d1c8a799996bf0265b98b5d48ab919"),
    Vector(
      name: "15: four blocks", key: key, nonce: "cafebabefacedbaddecaf888",
      plaintext: plaintext + "1aafd255", ciphertext: ciphertext + "898015ad",
      tag: "b094dac5d93471bdec1a502270e3cc6c"),
    Vector(
      name: "16: associated data, a last block that is not full", key: key,
      nonce: "cafebabefacedbaddecaf888", plaintext: plaintext,
      aad: "feedfacedeadbeeffeedfacedeadbeefabaddad2", ciphertext: ciphertext,
      tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
  ]

  @Test(arguments: vectors) func sealsAsTheSpecificationDoes(vector: Vector) throws {
    var sealer = AES256GCM.Sealer(key: Secret(copying: try octets(vector.key)))
    let sealed = try sealer.seal(
      octets(vector.plaintext), nonce: octets(vector.nonce), aad: octets(vector.aad))
    #expect(try sealed == octets(vector.ciphertext + vector.tag))
  }

  @Test(arguments: vectors) func opensWhatTheSpecificationSealed(vector: Vector) throws {
    var opener = AES256GCM.Opener(key: Secret(copying: try octets(vector.key)))
    let opened = try opener.open(
      octets(vector.ciphertext + vector.tag), nonce: octets(vector.nonce), aad: octets(vector.aad))
    #expect(try opened == octets(vector.plaintext))
  }

  @Test func refusesEachFlippedBit() throws {
    let key = Secret.random(count: 32)
    var sealer = AES256GCM.Sealer(key: key)
    var opener = AES256GCM.Opener(key: key)
    let nonce = [UInt8](repeating: 1, count: 12)
    let sealed = sealer.seal([1, 2, 3], nonce: nonce, aad: [9])
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 0x10
      #expect(throws: CryptoError.notAuthentic) {
        try opener.open(changed, nonce: nonce, aad: [9])
      }
    }
    #expect(throws: CryptoError.notAuthentic) { try opener.open(sealed, nonce: nonce, aad: [8]) }
    #expect(throws: CryptoError.notAuthentic) { try opener.open(sealed, nonce: nonce, aad: []) }
    let other = [UInt8](repeating: 2, count: 12)
    #expect(throws: CryptoError.notAuthentic) { try opener.open(sealed, nonce: other, aad: [9]) }
    let opened = try opener.open(sealed, nonce: nonce, aad: [9])
    #expect(opened == [1, 2, 3], "a refusal leaves the opener usable")
  }

  @Test(arguments: 0...15) func refusesWhatIsShorterThanATag(count: Int) {
    var opener = AES256GCM.Opener(key: Secret.random(count: 32))
    #expect(throws: CryptoError.notAuthentic) {
      try opener.open(
        [UInt8](repeating: 0, count: count), nonce: [UInt8](repeating: 0, count: 12), aad: [])
    }
  }

  @Test func keepsItsKeyOverManyMessages() throws {
    let key = Secret.random(count: 32)
    var sealer = AES256GCM.Sealer(key: key)
    var opener = AES256GCM.Opener(key: key)
    for round in UInt8(0)..<50 {
      let nonce = [UInt8](repeating: round, count: 12)
      let message = [UInt8](repeating: round, count: Int(round) * 7)
      let sealed = sealer.seal(message, nonce: nonce, aad: [round])
      let opened = try opener.open(sealed, nonce: nonce, aad: [round])
      #expect(opened == message)
      if round.isMultiple(of: 3) {
        #expect(throws: CryptoError.notAuthentic) {
          try opener.open(sealed, nonce: nonce, aad: [])
        }
      }
    }
  }
}
