import Crypto
import FoundationEssentials
import Testing

@Suite struct SecretTests {
  @Test func beginsAsZerosAndIsFilledOnce() {
    let secret = Secret(count: 4) { memory in
      #expect(memory.allSatisfy { $0 == 0 })
      memory[1] = 7
    }
    let filled = bytes(of: secret)
    #expect(filled == [0, 7, 0, 0])
  }

  @Test func passesOnWhatFillingThrows() {
    #expect(throws: CryptoError.keyLength) {
      _ = try Secret(count: 4) { _ throws(CryptoError) in throw .keyLength }.count
    }
  }

  @Test func isRandomEachTime() {
    let (first, second) = (bytes(of: Secret.random(count: 32)), bytes(of: Secret.random(count: 32)))
    #expect(first != second)
    #expect(SecureRandom.bytes(count: 32) != SecureRandom.bytes(count: 32))
  }

  @Test func duplicatesIntoMemoryOfItsOwn() {
    let secret = Secret(copying: [1, 2, 3])
    let twin = secret.duplicate()
    let equal = ConstantTime.equal(secret, twin)
    #expect(equal)
    let places = (
      secret.withBytes { UInt(bitPattern: $0.baseAddress) },
      twin.withBytes { UInt(bitPattern: $0.baseAddress) }
    )
    #expect(places.0 != places.1)
  }

  @Test func wipesAnArrayInPlace() {
    var key: [UInt8] = [1, 2, 3]
    Secret.wipe(&key)
    #expect(key == [])
  }
}

@Suite struct ConstantTimeTests {
  @Test(
    arguments: [
      ([1, 2, 3], [1, 2, 3], true), ([1, 2, 3], [1, 2, 4], false), ([0, 2, 3], [1, 2, 3], false),
      ([1, 2], [1, 2, 3], false), ([], [], true), ([], [0], false),
    ] as [([UInt8], [UInt8], Bool)])
  func comparesBytes(left: [UInt8], right: [UInt8], equal: Bool) {
    #expect(ConstantTime.equal(left, right) == equal)
    #expect(ConstantTime.equal(left.span, right.span) == equal)
    let secrets = ConstantTime.equal(Secret(copying: left), Secret(copying: right))
    #expect(secrets == equal)
  }

  @Test func comparesTokensByTheirText() {
    #expect(ConstantTime.equal("token".utf8, Array("token".utf8)))
    #expect(!ConstantTime.equal("token".utf8, "tokem".utf8))
  }

  @Test func seesZeroOnlyWhereEveryByteIs() {
    for (bytes, isZero) in [([0, 0], true), ([0, 1], false), ([0x80, 0], false), ([], true)] {
      let seen = ConstantTime.isZero(Secret(copying: bytes.map { UInt8($0) }))
      #expect(seen == isZero)
    }
  }
}

@Suite struct RedactedTests {
  struct Tokens: Codable, Equatable {
    let access: Redacted<String>
    let refresh: Redacted<String>?
  }

  @Test func showsNothingHoweverItIsShown() {
    let token = Redacted("marker-of-a-token")
    let around = Tokens(access: token, refresh: nil)
    var dumped = ""
    dump(token, to: &dumped)
    dump(around, to: &dumped)
    dump([token], to: &dumped)
    let shown = [
      "\(token)", "\([token])", "\(Optional(token) as Any)", String(describing: token),
      String(reflecting: token), String(reflecting: around), "\(Mirror(reflecting: token))",
      dumped,
    ]
    for text in shown { #expect(!text.contains("marker")) }
    #expect("\(token)" == "<redacted>")
    #expect(Mirror(reflecting: token).children.isEmpty)
    #expect(token.revealed == "marker-of-a-token")
  }

  @Test func codesAsTheValue() throws {
    let tokens = Tokens(access: Redacted("a"), refresh: Redacted("b"))
    let coded = try JSONEncoder().encode(tokens)
    #expect(
      try JSONDecoder().decode([String: String].self, from: coded) == [
        "access": "a", "refresh": "b",
      ])
    #expect(try JSONDecoder().decode(Tokens.self, from: coded) == tokens)
  }

  @Test func saysNothingInAnErrorOfDecoding() {
    #expect {
      try JSONDecoder().decode([Redacted<Int>].self, from: Data(#"["marker"]"#.utf8))
    } throws: { error in
      !"\(error)".contains("marker")
    }
  }
}
