import MeroConsent

/// What the files of the configuration said so far, and what is wrong with them.
struct ConfigurationReading {
  /// How many faults are told of: more say nothing new.
  static let mostFaults = 20

  private(set) var configuration: Configuration
  private var faults: [(place: ConfigurationPlace, text: String)] = []
  /// Files that could not be read at all.
  private var unread: [String] = []
  private var releases = SectionDrafts<TrustedReleaseDraft>()
  private var sessions = SectionDrafts<ConfiguredSessionDraft>()

  private var files: [String] = []
  var line = 0
  private var section = Section.none
  /// Where each key of this file stood first.
  private var seen: [ConfigurationKey: Int] = [:]

  /// Where the next key belongs.
  private enum Section {
    case none, refused, release, session
    case plain(String)
  }

  init(_ configuration: Configuration = Configuration()) { self.configuration = configuration }

  private var here: ConfigurationPlace {
    ConfigurationPlace(file: files.last ?? "", line: line)
  }

  // MARK: Faults

  mutating func complain(_ text: String) { faults.append((here, text)) }

  /// Where nothing better was said of the line.
  mutating func couldNotRead(line: Int) {
    let place = ConfigurationPlace(file: here.file, line: line)
    guard !faults.contains(where: { $0.place == place }) else { return }
    faults.append((place, "is neither a section nor a key with a value"))
  }

  mutating func cannotRead(_ path: String, _ reason: String) {
    unread.append("\(path): cannot be read: \(reason)")
  }

  // MARK: Reading

  mutating func begin(file: String) {
    files.append(file)
    (line, section, seen) = (0, .none, [:])
  }

  mutating func begin(section name: String) {
    if ConfigurationKey.sections.contains(name) {
      section = .plain(name)
      return
    }
    section = .refused
    let words = name.split(separator: " ", maxSplits: 1).map(String.init)
    do throws(ConfigurationComplaint) {
      switch words.first {
      case TrustedReleaseDraft.kind:
        try releases.begin(words.dropFirst().first ?? "", at: here)
        section = .release
      case ConfiguredSessionDraft.kind:
        try sessions.begin(words.dropFirst().first ?? "", at: here)
        section = .session
      default:
        complain("unknown section [\(name)]: there are \(ConfigurationKey.sectionNames)")
      }
    } catch {
      complain("the section [\(name)] \(error.text)")
    }
  }

  mutating func take(_ name: String, _ value: String) {
    do throws(ConfigurationComplaint) {
      switch section {
      case .refused: return
      case .none: throw ConfigurationComplaint("\(name) stands before the first section")
      case .plain(let section): try set(name, value, in: section)
      case .release: try releases.take(name, value, at: here)
      case .session: try sessions.take(name, value, at: here)
      }
    } catch {
      complain(error.text)
    }
  }

  /// A key that a later file sets again has the later value.
  private mutating func set(
    _ name: String, _ value: String, in section: String
  ) throws(ConfigurationComplaint) {
    guard let key = ConfigurationKey(rawValue: name) else {
      throw ConfigurationComplaint("unknown key \(name)\(Self.hint(for: name))")
    }
    guard key.section == section else {
      throw ConfigurationComplaint("\(name) belongs into the section [\(key.section)]")
    }
    if let first = seen[key] {
      throw ConfigurationComplaint("\(name) is set a second time, first on line \(first)")
    }
    seen[key] = line
    do throws(ConfigurationComplaint) {
      try key.set(value, in: &configuration)
    } catch {
      throw ConfigurationComplaint("the value of \(name) \(error.text)")
    }
  }

  private static func hint(for name: String) -> String {
    let near = ConfigurationKey.allCases.first { $0.rawValue.lowercased() == name.lowercased() }
    return near.map { ": \($0.rawValue) is meant?" } ?? ""
  }

  // MARK: The end

  /// Puts the sections together once every file was read.
  ///
  /// - Returns: the faults, each as `FILE:LINE: …`; with any, nothing of it is to be used.
  mutating func finish() -> [String] {
    let (trusted, releaseFaults) = releases.finish()
    let (opened, sessionFaults) = sessions.finish()
    configuration.releases = trusted.map(\.value)
    configuration.sessions = opened.map(\.value)
    faults += releaseFaults + sessionFaults
    for (session, place) in opened {
      guard let text = Self.fault(of: session.trust, trusted.map(\.value.name)) else { continue }
      faults.append((place, "[\(ConfiguredSessionDraft.kind) \(session.name)] \(text)"))
    }
    let inOrder = faults.sorted { left, right in
      let order = [left, right].map { files.firstIndex(of: $0.place.file) ?? 0 }
      return (order[0], left.place.line) < (order[1], right.place.line)
    }
    // What a fault repeats of a file goes to a terminal.
    let told = inOrder.map { "\($0.place.file):\($0.place.line): \(escaped($0.text))" }
    return Array((unread + told).prefix(Self.mostFaults))
  }

  /// What is wrong with a trust that names releases.
  private static func fault(of trust: SessionTrust, _ configured: [String]) -> String? {
    guard case .releases(let names) = trust else { return nil }
    if let missing = names?.first(where: { !configured.contains($0) }) {
      return "trusts the release \(missing), and there is no [Release \(missing)]"
    }
    return configured.isEmpty ? "trusts releases, and there is no [Release NAME]" : nil
  }
}
