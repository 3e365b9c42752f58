import Crypto
import Testing

/// RFC 6979, A.2.5: ECDSA on P-256 with SHA-256.
@Suite struct ECDSAP256Tests {
  private static let x = "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"
  private static let y = "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299"
  private static let order = "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551"
  private static let sample = (
    r: "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716",
    s: "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"
  )
  private static let test = (
    r: "F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367",
    s: "019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083"
  )

  private func verifies(_ signature: String, _ message: String) throws -> Bool {
    let coordinates = try octets(Self.x + Self.y)
    let bytes = try octets(signature)
    guard let key = ECDSAP256.PublicKey(coordinates: coordinates) else { return false }
    return key.isSignature(bytes, over: Array(message.utf8))
  }

  @Test func acceptsTheVectors() throws {
    #expect(try verifies(Self.sample.r + Self.sample.s, "sample"))
    #expect(try verifies(Self.test.r + Self.test.s, "test"))
  }

  @Test func refusesAnotherMessageAndExchangedNumbers() throws {
    #expect(try !verifies(Self.sample.r + Self.sample.s, "sample "))
    #expect(try !verifies(Self.sample.s + Self.sample.r, "sample"))
    #expect(try !verifies(Self.sample.r + Self.test.s, "sample"))
  }

  @Test func refusesNumbersOutOfRange() throws {
    let zero = String(repeating: "00", count: 32)
    let ones = String(repeating: "FF", count: 32)
    for bad in [zero, Self.order, ones] {
      #expect(try !verifies(bad + Self.sample.s, "sample"))
      #expect(try !verifies(Self.sample.r + bad, "sample"))
    }
  }

  @Test func refusesAnotherLength() throws {
    let whole = Self.sample.r + Self.sample.s
    #expect(try !verifies("", "sample"))
    #expect(try !verifies(String(whole.dropLast(2)), "sample"))
    #expect(try !verifies(whole + "00", "sample"))
    // The same signature as DER is none in this form.
    #expect(try !verifies("3046022100\(Self.sample.r)022100\(Self.sample.s)", "sample"))
  }

  @Test func verifiesDER() throws {
    let coordinates = try octets(Self.x + Self.y)
    let signature = try octets("3046022100\(Self.sample.r)022100\(Self.sample.s)")
    guard let key = ECDSAP256.PublicKey(coordinates: coordinates) else {
      Issue.record("no key")
      return
    }
    let message = Array("sample".utf8)
    let accepts = key.isSignature(der: signature, over: message)
    #expect(accepts)
    for bad in [[], [0x30], signature + [0], Array(signature.dropLast())] {
      let accepted = key.isSignature(der: bad, over: message)
      #expect(!accepted)
    }
  }

  private func isPoint(_ coordinates: [UInt8]) -> Bool {
    ECDSAP256.PublicKey(coordinates: coordinates) != nil
  }

  @Test func takesOnlyPointsOfTheCurve() throws {
    #expect(try isPoint(octets(Self.x + Self.y)))
    #expect(try !isPoint(octets(Self.y + Self.x)))
    #expect(!isPoint([UInt8](repeating: 0, count: 64)))
    #expect(!isPoint([UInt8](repeating: 0xff, count: 64)))
    #expect(try !isPoint(octets("04" + Self.x + Self.y)))
    #expect(!isPoint([]))
  }
}
