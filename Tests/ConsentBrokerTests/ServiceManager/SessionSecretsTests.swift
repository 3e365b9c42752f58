import EventLoop
import MeroConsent
import Testing

@testable import ConsentBroker

/// A manager's store, with what it would give the next process.
@LoopActor private final class TestStore: SessionSecrets.Store {
  private(set) var names: [String] = []
  private var held: [SessionSecrets.Stored] = []
  var keeps = true

  init() {}

  func store(_ descriptor: borrowing OwnedDescriptor, named name: String) -> Bool {
    guard keeps, let copy = try? descriptor.duplicate() else { return false }
    names.append(name)
    held.append(SessionSecrets.Stored(name: name, descriptor: copy))
    return true
  }

  func removeStored(named name: String) {
    names.removeAll { $0 == name }
    held.removeAll { $0.name == name }
  }

  func given() -> [SessionSecrets.Stored] {
    held.compactMap { stored in
      guard let copy = try? stored.descriptor.duplicate() else { return nil }
      return SessionSecrets.Stored(name: stored.name, descriptor: copy)
    }
  }
}

@Suite @LoopActor struct SessionSecretsTests {
  private let store = TestStore()
  private let one = SessionTokens(accessToken: "access-one", refreshToken: "refresh-one")
  private let two = SessionTokens(accessToken: "access-two")

  private func start() -> SessionSecrets {
    SessionSecrets(store.given(), store: store, log: Records().log())
  }

  @Test func comesBackAfterARestart() {
    start().keep(one, of: "s_a")
    #expect(start().recover(["s_a", "s_b"]) == ["s_a": one])
    // As often as it is asked for.
    #expect(start().recover(["s_a"]) == ["s_a": one])
    #expect(store.names == ["s_a.1"])
  }

  @Test func newTokensGoIntoTheSameMemory() {
    let secrets = start()
    secrets.keep(one, of: "s_a")
    secrets.keep(two, of: "s_a")
    #expect(store.names == ["s_a.1"])
    let next = start()
    #expect(next.recover(["s_a"]) == ["s_a": two])
    next.keep(one, of: "s_a")
    #expect(start().recover(["s_a"]) == ["s_a": one])
    #expect(store.names == ["s_a.1"])
  }

  @Test func memoryThatIsTooSmallIsReplaced() {
    let secrets = start()
    secrets.keep(one, of: "s_a")
    let long = SessionTokens(accessToken: String(repeating: "x", count: SessionTokens.longest))
    secrets.keep(long, of: "s_a")
    #expect(store.names == ["s_a.2"])
    #expect(start().recover(["s_a"]) == ["s_a": long])
  }

  @Test func theLongestTokensFit() {
    let text = String(repeating: "x", count: SessionTokens.longest)
    let longest = SessionTokens(accessToken: text, refreshToken: text)
    start().keep(longest, of: "s_0123456789abcdef01234567")
    #expect(start().recover(["s_0123456789abcdef01234567"]).values.first == longest)
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
    #expect(start().recover(["s_a"])["s_a"]?.accessToken.count == 3000)
    #expect(store.names == ["s_a.2"])
  }

  @Test func ofTwoWithOneNameOneIsLeft() throws {
    start().keep(one, of: "s_a")
    let foreign = try SecretRecord(capacity: 10)
    _ = store.store(foreign.memory.descriptor, named: "s_a.1")
    #expect(start().recover(["s_a"]) == ["s_a": one])
    #expect(store.names == ["s_a.2"])
    #expect(start().recover(["s_a"]) == ["s_a": one])
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
  @Test(arguments: [nil, "refresh"])
  func isReadAsItWasWritten(_ refresh: String?) throws {
    let tokens = SessionTokens(accessToken: "access", refreshToken: refresh)
    let content = try #require(SecretContent.decode(SecretContent.encode(tokens, of: "s_a")))
    #expect(content.session == "s_a")
    #expect(content.tokens == tokens)
  }

  @Test func nothingElseIsRead() {
    let whole = SecretContent.encode(
      SessionTokens(accessToken: "access", refreshToken: "refresh"), of: "s_a")
    for count in whole.indices { #expect(SecretContent.decode(Array(whole[..<count])) == nil) }
    #expect(SecretContent.decode(whole + [0]) == nil)
    #expect(SecretContent.decode([2] + whole.dropFirst()) == nil)
    #expect(SecretContent.decode([1, 255, 255, 255, 255]) == nil)
  }
}
