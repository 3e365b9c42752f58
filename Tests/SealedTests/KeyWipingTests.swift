import Crypto
import Sealed
import Testing

/// Keys are gone from memory once nobody owns them. Each test first finds them there, so that it
/// is known to look in the right places.
@Suite(.serialized, .timeLimit(.minutes(5))) struct KeyWipingTests {
  private final class Owner {
    let secret: Secret
    init(_ secret: consuming Secret) { self.secret = secret }
  }

  /// Many of them: of one alone, the memory might be in use again before it is searched.
  @Test func aSecretIsWipedWithItsOwner() throws {
    let scan: MemoryScan
    do {
      let secret = Secret.random(count: 32)
      let owners = (0..<200).map { _ in Owner(secret.duplicate()) }
      scan = MemoryScan(for: secret)
      let before = try scan.count()
      #expect(before == 201)
      withExtendedLifetime(owners) {}
      withExtendedLifetime(secret) {}
    }
    #expect(try scan.count() == 0)
  }

  @Test func aSecretIsWipedWhenFillingItFails() throws {
    let source = Secret.random(count: 32)
    let scan = MemoryScan(for: source)
    var seen = 0
    #expect(throws: CryptoError.keyLength) {
      _ = try Secret(count: 32) { memory throws(CryptoError) in
        source.withBytes { memory.copyMemory(from: $0) }
        seen = (try? scan.count()) ?? 0
        throw .keyLength
      }.count
    }
    #expect(seen == 2)
    let after = try scan.count()
    #expect(after == 1, "the source")
    withExtendedLifetime(source) {}
  }

  @Test func contextsAndKeyObjectsAreWiped() throws {
    let scan: MemoryScan
    do {
      let secret = Secret.random(count: 32)
      scan = MemoryScan(for: secret)
      var sealer = AES256GCM.Sealer(key: secret)
      let opener = AES256GCM.Opener(key: secret)
      let key = try X25519.PrivateKey(raw: secret)
      let nonce = [UInt8](repeating: 0, count: 12)
      let sealed = sealer.seal([1], nonce: nonce, aad: [])
      let publicKey = key.publicKey
      let before = try scan.count()
      #expect(before >= 3)
      withExtendedLifetime((sealed, publicKey)) {}
      _ = consume sealer
      _ = consume opener
      _ = consume key
    }
    #expect(try scan.count() == 0)
  }

  @Test func anAgreedSecretLeavesNoCopy() throws {
    let scan: MemoryScan
    do {
      let mine = X25519.PrivateKey()
      let peer = X25519.PrivateKey().publicKey
      let shared = try mine.agree(with: peer)
      scan = MemoryScan(for: shared)
      let before = try scan.count()
      #expect(before >= 1)
      withExtendedLifetime(shared) {}
    }
    #expect(try scan.count() == 0)
  }

  enum Ending: CaseIterable { case closed, idle, replaced }

  @Test(arguments: Ending.allCases)
  func aSessionsKeysAreWipedWhenItIs(_ ending: Ending) async throws {
    let fixture = await ChannelFixture()
    try await fixture.get()
    let scans = await fixture.node.takeScans()
    #expect(scans.count == 2)
    for scan in scans { #expect(try scan.count() > 0) }
    switch ending {
    case .closed:
      await fixture.channel.close()
    case .idle:
      await fixture.clock.untilSomebodySleeps(for: .seconds(600))
      fixture.clock.advance(by: .seconds(600))
      while await fixture.channel.holdsKeys { await Task.yield() }
    case .replaced:
      try await fixture.get()
    }
    for scan in scans { #expect(try scan.count() == 0) }
  }
}
