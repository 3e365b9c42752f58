import EventLoop
import MeroConsent
import Testing

@testable import ConsentBroker

@Suite(.aFewAtATime) @LoopActor struct SessionSecretsTests {
  private let store = TestStore()
  private let one = SessionTokens(accessToken: "access-one", refreshToken: "refresh-one")
  private let two = SessionTokens(accessToken: "access-two")

  private func kept(_ tokens: SessionTokens) -> KeptTokens { KeptTokens(tokens: tokens) }

  private func start() -> SessionSecrets {
    SessionSecrets(store.given(), store: store, log: Records().log())
  }

  @Test func comesBackAfterARestart() {
    start().keep(one, of: "s_a")
    #expect(start().recover(["s_a", "s_b"]) == ["s_a": kept(one)])
    // As often as it is asked for.
    #expect(start().recover(["s_a"]) == ["s_a": kept(one)])
    #expect(store.names == ["s_a.1"])
  }

  @Test func whatWasReadComesBackWithTheTokens() {
    start().keep(one, of: "s_conf_a", read: [1, 2, 3])
    #expect(
      start().recover(["s_conf_a"]) == ["s_conf_a": KeptTokens(tokens: one, read: [1, 2, 3])])
  }

  @Test func newTokensGoIntoTheSameMemory() {
    let secrets = start()
    secrets.keep(one, of: "s_a")
    secrets.keep(two, of: "s_a")
    #expect(store.names == ["s_a.1"])
    let next = start()
    #expect(next.recover(["s_a"]) == ["s_a": kept(two)])
    next.keep(one, of: "s_a")
    #expect(start().recover(["s_a"]) == ["s_a": kept(one)])
    #expect(store.names == ["s_a.1"])
  }

  @Test func memoryThatIsTooSmallIsReplaced() {
    let secrets = start()
    secrets.keep(one, of: "s_a")
    let long = SessionTokens(accessToken: String(repeating: "x", count: SessionTokens.longest))
    secrets.keep(long, of: "s_a")
    #expect(store.names == ["s_a.2"])
    #expect(start().recover(["s_a"]) == ["s_a": kept(long)])
  }

  @Test func theLongestTokensFit() {
    let text = String(repeating: "x", count: SessionTokens.longest)
    let longest = SessionTokens(accessToken: text, refreshToken: text)
    start().keep(longest, of: "s_0123456789abcdef01234567")
    #expect(start().recover(["s_0123456789abcdef01234567"]).values.first == kept(longest))
  }

  @Test func ofTwoOfASessionTheNewerOneIsTaken() {
    let secrets = start()
    secrets.keep(one, of: "s_a")
    let before = store.given()
    secrets.keep(
      SessionTokens(accessToken: String(repeating: "y", count: 3000)), of: "s_a")
    // Killed before the old one was dropped; it was wiped, so it is written again.
    for stored in before { _ = store.store(stored.descriptor, named: stored.name) }
    #expect(store.names.sorted() == ["s_a.1", "s_a.2"])
    #expect(start().recover(["s_a"])["s_a"]?.tokens.accessToken.count == 3000)
    #expect(store.names == ["s_a.2"])
  }

  @Test func ofTwoWithOneNameOneIsLeft() throws {
    start().keep(one, of: "s_a")
    let foreign = try SecretRecord(capacity: 10)
    _ = store.store(foreign.memory.descriptor, named: "s_a.1")
    #expect(start().recover(["s_a"]) == ["s_a": kept(one)])
    #expect(store.names == ["s_a.2"])
    #expect(start().recover(["s_a"]) == ["s_a": kept(one)])
  }

  @Test func whatIsForgottenIsWiped() throws {
    let secrets = start()
    secrets.keep(one, of: "s_a")
    let copies = store.given()
    secrets.forget("s_a")
    #expect(store.names == [])
    let copy = try #require(copies.first)
    let record = try SecretRecord(adopting: copy.descriptor.duplicate())
    let left = record.read()
    #expect(left == nil)
  }

  @Test func aClosedSessionsSecretsAreWipedAndDropped() throws {
    start().keep(one, of: "s_a")
    let copies = store.given()
    #expect(start().recover([]).isEmpty)
    #expect(store.names == [])
    let copy = try #require(copies.first)
    let record = try SecretRecord(adopting: copy.descriptor.duplicate())
    let left = record.read()
    #expect(left == nil)
  }

  @Test func anotherSessionsContentIsNotTaken() throws {
    start().keep(one, of: "s_a")
    for stored in store.given() { _ = store.store(stored.descriptor, named: "s_b.1") }
    #expect(start().recover(["s_a", "s_b"])["s_b"] == nil)
    #expect(!store.names.contains("s_b.1"))
  }

  @Test func whatIsNoSecretMemoryIsDropped() throws {
    for path in ["/dev/null", "/etc/passwd"] {
      _ = store.store(try Files.open(path, .read), named: "s_a.1")
    }
    #expect(start().recover(["s_a"]).isEmpty)
    #expect(store.names == [])
  }

  @Test func whatIsNotTheNewestDoesNotComeBack() {
    let secrets = start()
    secrets.keep(one, of: "s_a")
    store.keeps = false
    // Too long for the same memory: the node has spent what is there.
    secrets.keep(SessionTokens(accessToken: String(repeating: "y", count: 3000)), of: "s_a")
    #expect(start().recover(["s_a"]).isEmpty)
    #expect(store.names == [])
    store.keeps = true
    secrets.keep(two, of: "s_a")
    #expect(start().recover(["s_a"]) == ["s_a": kept(two)])
  }

  /// What comes before the limit is known, and what comes after.
  @Test(arguments: [false, true]) func aSmallStoreHasTheNewestTokens(_ isKnown: Bool) async throws {
    store.room = 2
    let records = Records()
    let secrets = SessionSecrets([], store: store, log: records.log())
    var told: [Int] = []
    secrets.onOverflow = { told.append($0) }
    secrets.keep(one, of: "s_a")
    if isKnown { try await LoopActor.until { store.limitsTold == 1 } }
    secrets.keep(one, of: "s_b")
    secrets.keep(two, of: "s_a")
    secrets.keep(one, of: "s_c")
    if !isKnown { try await LoopActor.until { store.limitsTold == 1 } }
    #expect(store.names.sorted() == ["s_a.1", "s_c.1"])
    #expect(start().recover(["s_a", "s_b", "s_c"]) == ["s_a": kept(two), "s_c": kept(one)])
    #expect(told == [2])
    #expect(records.text.contains("room for 2 sessions"))
    // Longer ones take the place of those before them.
    let long = SessionTokens(accessToken: String(repeating: "y", count: 3000))
    secrets.keep(long, of: "s_c")
    #expect(start().recover(["s_a", "s_b", "s_c"]) == ["s_a": kept(two), "s_c": kept(long)])
    // And where there is room again, there is.
    secrets.forget("s_a")
    secrets.keep(two, of: "s_b")
    #expect(start().recover(["s_b", "s_c"]) == ["s_b": kept(two), "s_c": kept(long)])
    #expect(told == [2])
  }

  @Test func aStoreThatIsTurnedOffIsNoFault() async throws {
    store.room = 0
    let secrets = start()
    secrets.onOverflow = { _ in Issue.record("nobody needs to know") }
    secrets.keep(one, of: "s_a")
    try await LoopActor.until { store.limitsTold == 1 }
    secrets.keep(one, of: "s_b")
    #expect(store.names == [] && start().recover(["s_a", "s_b"]).isEmpty)
  }

  @Test func whereNobodyKeepsItNothingHappens() {
    store.keeps = false
    let secrets = start()
    secrets.keep(one, of: "s_a")
    secrets.keep(two, of: "s_a")
    secrets.forget("s_a")
    #expect(store.names == [])
  }
}

@Suite struct SecretContentTests {
  @Test(arguments: [nil, "refresh"], [nil, [0, 255, 7]])
  func isReadAsItWasWritten(_ refresh: String?, _ read: [UInt8]?) throws {
    let kept = KeptTokens(
      tokens: SessionTokens(accessToken: "access", refreshToken: refresh), read: read)
    let content = try #require(SecretContent.decode(SecretContent.encode(kept, of: "s_a")))
    #expect(content.session == "s_a")
    #expect(content.kept == kept)
  }

  @Test func nothingElseIsRead() {
    let tokens = SessionTokens(accessToken: "access", refreshToken: "refresh")
    let whole = SecretContent.encode(KeptTokens(tokens: tokens, read: [1]), of: "s_a")
    for count in whole.indices { #expect(SecretContent.decode(Array(whole[..<count])) == nil) }
    #expect(SecretContent.decode(whole + [0]) == nil)
    #expect(SecretContent.decode([1] + whole.dropFirst()) == nil)
    #expect(SecretContent.decode([2, 255, 255, 255, 255]) == nil)
    // A refresh token that is no text.
    let text = SecretContent.encode(KeptTokens(tokens: tokens), of: "s_a")
    #expect(SecretContent.decode(text.map { $0 == UInt8(ascii: "f") ? 255 : $0 }) == nil)
  }
}
