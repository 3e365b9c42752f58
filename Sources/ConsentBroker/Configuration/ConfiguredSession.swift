package import MeroConsent

/// `[Session NAME]`: a session that is open as long as the configuration has it.
package struct ConfiguredSession: Sendable, Equatable {
  /// The section's name, and that of the file that has its key.
  package let name: String
  package let package: String
  /// 64 hex digits, where it is named.
  package let account: String?
  package let node: NodeAddress
  package let token: TokenSource
  package let refreshToken: TokenSource?
  package let origins: [String]
  package let returnTo: String?
  package let trust: SessionTrust

  /// What it reads besides the configuration itself.
  var files: [String] {
    [token, refreshToken].compactMap { source in
      if case .file(let path) = source?.origin { path } else { nil }
    }
  }
}

/// Where a token is read from.
package struct TokenSource: Sendable, Equatable {
  package enum Origin: Sendable, Equatable {
    /// An absolute path.
    case file(String)
    /// A name in `$CREDENTIALS_DIRECTORY`.
    case credential(String)
  }

  let origin: Origin
  /// The key that names it, to tell of a fault.
  let key: String
  let place: ConfigurationPlace
}

/// The keys of a `[Session NAME]`.
package enum SessionKeyword: String, CaseIterable, Sendable {
  case node = "Node"
  case package = "Package"
  case account = "Account"
  case tokenFile = "TokenFile"
  case refreshTokenFile = "RefreshTokenFile"
  case origin = "Origin"
  case returnTo = "ReturnTo"
  case trust = "Trust"
  case release = "Release"
  case transportKey = "TransportKey"
  case development = "Development"
}

/// A `[Session NAME]` on its way.
struct ConfiguredSessionDraft: SectionDraft {
  static let kind = "Session"

  let name: String
  private var node: NodeAddress?
  private var package: String?
  private var account: String?
  private var sources: [SessionKeyword: TokenSource] = [:]
  private var origins: [String] = []
  private var returnTo: String?
  private var releases: [String] = []
  /// The ways to trust the node that were named, each once.
  private var ways: [SessionKeyword: SessionTrust] = [:]

  init(name: String) { self.name = name }

  static func repeats(_ key: SessionKeyword) -> Bool { key == .origin || key == .release }

  mutating func set(
    _ key: SessionKeyword, _ value: String, at place: ConfigurationPlace
  ) throws(ConfigurationComplaint) {
    switch key {
    case .node: node = try Self.node(value)
    case .package:
      guard BrokerLimits.isPackage(value) else {
        throw ConfigurationComplaint(
          "is empty, longer than \(BrokerLimits.packageBytes) bytes, or has spaces")
      }
      package = value
    case .account:
      account = try Self.hex(value)
    case .tokenFile, .refreshTokenFile:
      sources[key] = TokenSource(
        origin: try Self.origin(ofToken: value), key: key.rawValue, place: place)
    case .origin: try addOrigins(SectionText.items(value))
    case .returnTo: returnTo = value
    case .trust:
      guard value == "releases" else { throw ConfigurationComplaint("can only be “releases”") }
      ways[key] = .releases(nil)
    case .release:
      let names = SectionText.items(value)
      guard !names.isEmpty, names.allSatisfy(SectionText.isName) else {
        throw ConfigurationComplaint("is no name of a [Release NAME]")
      }
      releases += names
      ways[key] = .releases(releases)
    case .transportKey: ways[key] = .node(.transportKey(try Self.hex(value)))
    case .development:
      guard value == "yes" else { throw ConfigurationComplaint("can only be “yes”") }
      ways[key] = .node(.development)
    }
  }

  func finish() throws(ConfigurationComplaint) -> ConfiguredSession {
    func required<Value>(
      _ value: Value?, _ key: SessionKeyword
    ) throws(ConfigurationComplaint) -> Value {
      guard let value else { throw ConfigurationComplaint("has no \(key.rawValue)") }
      return value
    }
    let node = try required(node, .node)
    let package = try required(package, .package)
    let token = try required(sources[.tokenFile], .tokenFile)
    guard ways.count == 1, let trust = ways.values.first else {
      let found = ways.keys.map(\.rawValue).sorted().joined(separator: " and ")
      throw ConfigurationComplaint(
        "has \(found.isEmpty ? "none" : found) of Trust, Release, TransportKey and Development; "
          + "it needs exactly one")
    }
    guard trust != .node(.development) || node.isLoopback else {
      throw ConfigurationComplaint("has Development for a node that is not on this machine")
    }
    if let returnTo { try check(returnTo) }
    return ConfiguredSession(
      name: name, package: package, account: account, node: node, token: token,
      refreshToken: sources[.refreshTokenFile], origins: origins, returnTo: returnTo, trust: trust)
  }

  // MARK: Values

  private mutating func addOrigins(_ items: [String]) throws(ConfigurationComplaint) {
    guard !items.isEmpty, origins.count + items.count <= BrokerLimits.origins,
      (try? PackageOrigins(items)) != nil
    else {
      throw ConfigurationComplaint(
        "is no list of https origins (https://host), \(BrokerLimits.origins) at most")
    }
    origins += items
  }

  private func check(_ returnTo: String) throws(ConfigurationComplaint) {
    do throws(ConsentError) {
      try PackageOrigins(origins).check(returnTo: returnTo)
    } catch {
      throw ConfigurationComplaint("has a ReturnTo that is not allowed: \(error.advice)")
    }
  }

  private static func node(_ value: String) throws(ConfigurationComplaint) -> NodeAddress {
    do throws(ConsentError) {
      return try NodeAddress(value)
    } catch {
      throw ConfigurationComplaint(
        "is no node's address: https, or http on this machine, without a query")
    }
  }

  private static func hex(_ value: String) throws(ConfigurationComplaint) -> String {
    guard TrustJSON.isHex(value, digits: 64) else {
      throw ConfigurationComplaint("is not 64 hexadecimal digits")
    }
    return value
  }

  private static func origin(
    ofToken value: String
  ) throws(ConfigurationComplaint) -> TokenSource.Origin {
    if !value.utf8.contains(UInt8(ascii: "/")), SectionText.isName(value) {
      return .credential(value)
    }
    guard value.utf8.first == UInt8(ascii: "/"), value.utf8.last != UInt8(ascii: "/") else {
      throw ConfigurationComplaint("is neither an absolute path nor the name of a credential")
    }
    return .file(value)
  }
}
