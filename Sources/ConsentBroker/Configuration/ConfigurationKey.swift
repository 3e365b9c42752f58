/// Every key of the file, what it takes, and where it goes: the one table of them.
///
/// `config/mero-consentd.conf` documents each; a test compares the two.
enum ConfigurationKey: String, CaseIterable, Sendable {
  case socket = "Socket"
  case stateDirectory = "StateDirectory"
  case logLevel = "LogLevel"
  case idleTimeout = "IdleTimeout"
  case maximumConnections = "MaximumConnections"
  case callbackPort = "CallbackPort"
  case retention = "Retention"
  case sessionTimeout = "SessionTimeout"
  case connectTimeout = "ConnectTimeout"
  case callTimeout = "CallTimeout"
  case notifications = "Notifications"

  /// The section that it stands in.
  var section: String {
    switch self {
    case .socket, .stateDirectory, .logLevel, .idleTimeout, .maximumConnections: "Daemon"
    case .callbackPort: "Callback"
    case .retention, .sessionTimeout: "Sessions"
    case .connectTimeout, .callTimeout: "Node"
    case .notifications: "Desktop"
    }
  }

  static let sections = ["Daemon", "Callback", "Sessions", "Node", "Desktop"]
  /// For people: these, and the kinds that have names.
  static let sectionNames =
    (sections + [TrustedReleaseDraft.kind, ConfiguredSessionDraft.kind].map { "\($0) NAME" })
    .map { "[\($0)]" }.joined(separator: ", ")

  /// Takes a value over.
  ///
  /// - Throws: what is wrong with it, to follow the key's name in a sentence.
  func set(_ value: String, in configuration: inout Configuration) throws(ConfigurationComplaint) {
    switch self {
    case .socket: configuration.socket = try Self.path(value)
    case .stateDirectory: configuration.stateDirectory = try Self.path(value)
    case .logLevel:
      guard let level = LogLevel(rawValue: value) else {
        throw ConfigurationComplaint("is none of \(LogLevel.names)")
      }
      configuration.logLevel = level
    case .idleTimeout:
      configuration.idleTimeout =
        value == "never" ? nil : try Self.time(value, from: .seconds(1), to: .days(1))
    case .maximumConnections:
      configuration.maximumConnections = try Self.number(value, in: 64...65_536)
    case .callbackPort:
      guard let port = Self.port(value) else {
        throw ConfigurationComplaint("is not a port: a number from 0 to 65535")
      }
      configuration.callbackPort = port
    case .retention:
      configuration.retention = try Self.time(value, from: .hours(1), to: .days(3650))
    case .sessionTimeout:
      configuration.sessionTimeout = try Self.time(value, from: .minutes(1), to: .days(30))
    case .connectTimeout:
      configuration.connectTimeout = try Self.time(value, from: .seconds(1), to: .minutes(1))
    case .callTimeout:
      configuration.callTimeout = try Self.time(value, from: .seconds(1), to: .minutes(5))
    case .notifications:
      guard let flag = Self.flag(value) else {
        throw ConfigurationComplaint("is neither yes nor no")
      }
      configuration.notifications = flag
    }
  }

  static func flag(_ text: String) -> Bool? {
    switch text {
    case "yes", "true", "on", "1": true
    case "no", "false", "off", "0": false
    default: nil
    }
  }

  /// Digits only: no sign, no space, at most 65535.
  static func port(_ text: String) -> UInt16? {
    number(text).flatMap { UInt16(exactly: $0) }
  }

  private static func path(_ text: String) throws(ConfigurationComplaint) -> String {
    guard text.utf8.first == UInt8(ascii: "/"), text.utf8.count > 1,
      text.utf8.last != UInt8(ascii: "/")
    else { throw ConfigurationComplaint("is not an absolute path") }
    return text
  }

  /// `90`, `90s`, `5min`, `8h`, `30d`.
  private static func time(
    _ text: String, from least: Duration, to most: Duration
  ) throws(ConfigurationComplaint) -> Duration {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit: Duration? =
      switch text[digits.endIndex...] {
      case "", "s": .seconds(1)
      case "min": .minutes(1)
      case "h": .hours(1)
      case "d": .days(1)
      default: nil
      }
    guard let unit, let count = number(String(digits)) else {
      throw ConfigurationComplaint("is not a time: a number with s, min, h or d")
    }
    let time = unit * count
    guard time >= least, time <= most else {
      throw ConfigurationComplaint(
        "has to be from \(least.components.seconds) to \(most.components.seconds) seconds")
    }
    return time
  }

  private static func number(
    _ text: String, in range: ClosedRange<Int>
  ) throws(ConfigurationComplaint) -> Int {
    guard let number = number(text), range.contains(number) else {
      throw ConfigurationComplaint(
        "is not a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Up to 9 digits: no time or port needs more.
  private static func number(_ text: String) -> Int? {
    guard (1...9).contains(text.utf8.count),
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Int(text)
  }
}

/// What is wrong with a value, without the value.
struct ConfigurationComplaint: Error, Equatable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }
}
