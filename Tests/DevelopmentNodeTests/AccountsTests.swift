import DevelopmentNode
import EventLoop
import FoundationEssentials
import Testing

@Suite struct AccountsTests {
  private let noon = WallInstant(milliseconds: 1_800_000_000_000)

  private func after(_ milliseconds: Int64) -> WallInstant {
    WallInstant(milliseconds: noon.milliseconds + milliseconds)
  }

  @Test func aTokenIsGoodUntilItsLastMillisecond() {
    var accounts = Accounts()
    let tokens = accounts.issue(to: "ann", at: noon, lifetime: .seconds(10))
    #expect(accounts.bearer(tokens.access, at: after(9_999)) == .account("ann"))
    #expect(accounts.bearer(tokens.access, at: after(10_000)) == .expired)
    #expect(accounts.bearer("made up", at: noon) == .unknown)
  }

  @Test func anExpiredTokenIsRefreshedOnce() throws {
    var accounts = Accounts()
    let old = accounts.issue(to: "ann", at: noon, lifetime: .seconds(1))
    let renewed = accounts.refresh(old, at: after(5_000), lifetime: .seconds(1))
    let new = try #require(renewed)
    #expect(accounts.bearer(new.access, at: after(5_000)) == .account("ann"))
    #expect(new.refresh != old.refresh)
    #expect(accounts.refresh(old, at: after(5_000), lifetime: .seconds(1)) == nil)
    #expect(accounts.refresh(new, at: after(5_000), lifetime: .seconds(1)) != nil)
  }

  @Test func aRefreshTokenOfAnotherAccountIsRefusedAndNotUsedUp() {
    var accounts = Accounts()
    let ann = accounts.issue(to: "ann", at: noon, lifetime: .seconds(1))
    let ben = accounts.issue(to: "ben", at: noon, lifetime: .seconds(1))
    let mixed = Accounts.Tokens(access: ann.access, refresh: ben.refresh)
    #expect(accounts.refresh(mixed, at: noon, lifetime: .seconds(1)) == nil)
    #expect(accounts.refresh(ben, at: noon, lifetime: .seconds(1)) != nil)
  }

  @Test func expiringAnAccountLeavesItsRefreshTokenAndOtherAccountsGood() {
    var accounts = Accounts()
    let ann = accounts.issue(to: "ann", at: noon, lifetime: .seconds(60))
    let ben = accounts.issue(to: "ben", at: noon, lifetime: .seconds(60))
    accounts.expireTokens(of: "ann", at: noon)
    #expect(accounts.bearer(ann.access, at: noon) == .expired)
    #expect(accounts.bearer(ben.access, at: noon) == .account("ben"))
    #expect(accounts.refresh(ann, at: noon, lifetime: .seconds(60)) != nil)
  }

  @Test func aRevokedAccountCannotRefresh() {
    var accounts = Accounts()
    let ann = accounts.issue(to: "ann", at: noon, lifetime: .seconds(60))
    accounts.revokeTokens(of: "ann")
    #expect(accounts.bearer(ann.access, at: noon) == .revoked)
    #expect(accounts.refresh(ann, at: noon, lifetime: .seconds(60)) == nil)
  }

  @Test func anAccessTokenIsShapedAsAJWTWithSubjectAndExpiry() throws {
    var accounts = Accounts()
    let access = accounts.issue(to: "ann", at: noon, lifetime: .seconds(60)).access
    let parts = access.split(separator: ".", omittingEmptySubsequences: false)
    #expect(parts.count == 3)
    var claims = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
    claims += String(repeating: "=", count: (4 - claims.count % 4) % 4)
    let json = try JSON(parsing: Array(#require(Data(base64Encoded: claims))))
    #expect(json["sub"]?.string == "ann")
    #expect(json["exp"]?.number == 1_800_000_060)
  }

  @Test func theOldestTokensAreForgottenBeyondTheLimit() {
    var accounts = Accounts()
    let first = accounts.issue(to: "ann", at: noon, lifetime: .seconds(60))
    let second = accounts.issue(to: "ann", at: noon, lifetime: .seconds(60))
    for _ in 2..<Accounts.tokenLimit {
      _ = accounts.issue(to: "ben", at: noon, lifetime: .seconds(60))
    }
    #expect(accounts.bearer(first.access, at: noon) == .account("ann"))
    _ = accounts.issue(to: "ben", at: noon, lifetime: .seconds(60))
    #expect(accounts.bearer(first.access, at: noon) == .unknown)
    #expect(accounts.bearer(second.access, at: noon) == .account("ann"))
  }
}
