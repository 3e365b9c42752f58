/// A section that there may be several of, `[Release NAME]`, while its keys are read.
protocol SectionDraft {
  associatedtype Key: RawRepresentable, CaseIterable where Key.RawValue == String
  associatedtype Finished

  /// The word before the name.
  static var kind: String { get }

  init(name: String)

  var name: String { get }

  /// Whether a key may stand there more than once, each time with more of the same.
  static func repeats(_ key: Key) -> Bool

  /// - Throws: what is wrong with the value, to follow the key's name in a sentence.
  mutating func set(
    _ key: Key, _ value: String, at place: ConfigurationPlace
  ) throws(ConfigurationComplaint)

  /// - Throws: what is missing, to follow the section in a sentence.
  func finish() throws(ConfigurationComplaint) -> Finished
}

/// A line of a file.
struct ConfigurationPlace: Equatable, Sendable {
  let file: String
  let line: Int
}

/// The sections of one kind that were read so far, from all files.
struct SectionDrafts<Draft: SectionDraft> {
  /// More are a mistake of a program that writes them.
  static var most: Int { 64 }

  private(set) var drafts: [(draft: Draft, place: ConfigurationPlace)] = []
  /// The keys of the last one, and where each stood first.
  private var seen: [String: Int] = [:]

  /// - Throws: why the section is not taken; its keys are passed over then.
  mutating func begin(
    _ name: String, at place: ConfigurationPlace
  ) throws(ConfigurationComplaint) {
    guard SectionText.isName(name) else {
      throw ConfigurationComplaint(
        "needs a name of at most \(SectionText.longestName) letters, digits, “.”, “_” and “-”, "
          + "beginning with a letter or a digit")
    }
    if let (_, first) = drafts.first(where: { $0.draft.name == name }) {
      throw ConfigurationComplaint(
        "is there a second time, first in \(first.file) on line \(first.line)")
    }
    guard drafts.count < Self.most else {
      throw ConfigurationComplaint("is one more than the \(Self.most) that there may be")
    }
    drafts.append((Draft(name: name), place))
    seen = [:]
  }

  /// Gives the last section a key.
  ///
  /// - Throws: the whole sentence about the key.
  mutating func take(
    _ name: String, _ value: String, at place: ConfigurationPlace
  ) throws(ConfigurationComplaint) {
    guard let key = Draft.Key(rawValue: name) else {
      let near = Draft.Key.allCases.first { $0.rawValue.lowercased() == name.lowercased() }
      let hint = near.map { ": \($0.rawValue) is meant?" } ?? ""
      throw ConfigurationComplaint("unknown key \(name) of a [\(Draft.kind) NAME]\(hint)")
    }
    if let first = seen[name], !Draft.repeats(key) {
      throw ConfigurationComplaint("\(name) is set a second time, first on line \(first)")
    }
    seen[name] = seen[name] ?? place.line
    do throws(ConfigurationComplaint) {
      try drafts[drafts.count - 1].draft.set(key, value, at: place)
    } catch {
      throw ConfigurationComplaint("the value of \(name) \(error.text)")
    }
  }

  /// What the sections say, in the order of their names, and what is wrong with the rest.
  func finish() -> (
    finished: [(value: Draft.Finished, place: ConfigurationPlace)],
    faults: [(place: ConfigurationPlace, text: String)]
  ) {
    var finished: [(value: Draft.Finished, place: ConfigurationPlace)] = []
    var faults: [(place: ConfigurationPlace, text: String)] = []
    for (draft, place) in drafts.sorted(by: { $0.draft.name < $1.draft.name }) {
      do throws(ConfigurationComplaint) {
        finished.append((try draft.finish(), place))
      } catch {
        faults.append((place, "[\(Draft.kind) \(draft.name)] \(error.text)"))
      }
    }
    return (finished, faults)
  }
}

/// Small parts of a section's text.
enum SectionText {
  static let longestName = 64

  /// It names a file as well: no slash, and no dot in front.
  static func isName(_ text: String) -> Bool {
    guard (1...longestName).contains(text.utf8.count), let first = text.utf8.first else {
      return false
    }
    return isAlphanumeric(first)
      && text.utf8.allSatisfy { isAlphanumeric($0) || "._-".utf8.contains($0) }
  }

  /// What blanks or commas separate.
  static func items(_ text: String) -> [String] {
    text.split { " ,\t".contains($0) }.map(String.init)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }
}
