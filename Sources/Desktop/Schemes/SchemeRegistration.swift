package import EventLoop
import Glibc

/// Gives a scheme of an app's to `mero-consent handle`, for this person, and takes it away again.
///
/// Only what concerns this scheme is changed: a desktop file of its own, and its line in the
/// person's list of defaults.
@LoopActor package struct SchemeRegistration {
  /// Why nothing could be changed.
  package enum Failure: Error, Sendable, Equatable {
    /// There is neither `HOME` nor the folders' own variables.
    case noHome
    /// This program's path needs quotes.
    case programPath(String)
    case file(path: String, SystemError)
  }

  /// What came of it.
  package struct Outcome: Sendable, Equatable {
    /// What had the scheme before, where something else did.
    package var before: String?
    /// What has it now.
    package var now: String?
    /// Whether it is as it was asked for.
    package var isDone: Bool
    /// Nothing had to be done.
    package var wasSo = false
    /// What did not work, a sentence each.
    package var warnings: [String] = []
  }

  private let scheme: SchemeName
  private let environment: [String: String]
  private let directories: DesktopDirectories

  /// - Parameter environment: this process's.
  package init(
    _ scheme: SchemeName, environment: [String: String]
  ) throws(Failure) {
    guard let directories = DesktopDirectories(environment) else { throw .noHome }
    self.scheme = scheme
    self.environment = environment
    self.directories = directories
  }

  private var id: String { SchemeEntry.id(of: scheme) }
  private var entryPath: String { "\(directories.ownApplications)/\(id)" }
  private var defaults: MimeDefaults { MimeDefaults(environment) }
  private var tools: DesktopTools { DesktopTools(environment) }

  /// - Parameter program: the absolute path of `mero-consent`.
  package func register(program: String) async throws(Failure) -> Outcome {
    guard let program = SchemeEntry.usable(program) else { throw .programPath(program) }
    let lock = try await lock()
    defer { withExtendedLifetime(lock) {} }
    let before = defaults.handler(of: scheme.type)
    var entry = SchemeEntry(scheme: scheme, program: program)
    let present = try ownEntry()
    let list = KeyFile(path: directories.ownList)
    let given = list?.value(of: scheme.type, in: MimeDefaults.section)
    if let present, given.map(MimeDefaults.ids)?.first == id {
      entry.takeMemory(from: present)
      // Not written again: a list may be somebody's managed file.
      if present.bytes == Array(entry.text.utf8), before == id {
        return Outcome(before: nil, now: id, isDone: true, wasSo: true)
      }
    } else {
      entry.previous = given
      entry.madeList = list == nil
      entry.madeSection = list?.hasSection(MimeDefaults.section) != true
    }
    try write(entry)
    var outcome = Outcome(before: before == id ? nil : before, now: nil, isDone: false)
    outcome.warnings += await tools.refresh(directories.ownApplications)
    if given.map(MimeDefaults.ids)?.first != id {
      outcome.warnings += await setDefault()
    }
    outcome.now = defaults.handler(of: scheme.type)
    outcome.isDone = outcome.now == id
    return outcome
  }

  package func unregister() async throws(Failure) -> Outcome {
    var outcome = Outcome(before: nil, now: nil, isDone: false)
    let lock = try await lock()
    defer { withExtendedLifetime(lock) {} }
    let present = try ownEntry()
    let list = KeyFile(path: directories.ownList)
    var entry = SchemeEntry(scheme: scheme, program: "/")
    if let present { entry.takeMemory(from: present) }
    if let list, let changed = without(entry, list) {
      if isLink(directories.ownList) {
        outcome.warnings.append(linkSentence("remove \(id) there"))
      } else {
        try replaceList(changed, removesEmpty: entry.madeList)
      }
    } else if present == nil {
      outcome.wasSo = true
    }
    if present != nil {
      do {
        try Files.unlink(entryPath)
      } catch {
        throw .file(path: entryPath, error)
      }
      outcome.warnings += await tools.refresh(directories.ownApplications)
    }
    outcome.now = defaults.handler(of: scheme.type)
    outcome.isDone = outcome.now != id
    return outcome
  }

  // MARK: Steps

  /// How long another registration is waited for.
  private static let patience = Duration.seconds(10)

  /// Registrations one after another: `xdg-mime` reads the list, and writes it whole, without one.
  private func lock() async throws(Failure) -> SchemeLock {
    let path = directories.ownApplications
    let deadline = BootInstant.now + Self.patience
    do throws(SystemError) {
      try Files.makeDirectories(path, mode: 0o700)
      let folder = try Files.open(path, .directory)
      while try !folder.lock() {
        guard BootInstant.now < deadline else {
          throw SystemError(call: "flock", code: EWOULDBLOCK)
        }
        try? await LoopActor.sleep(for: .milliseconds(20))
      }
      return SchemeLock(folder)
    } catch {
      throw .file(path: path, error)
    }
  }

  /// The entry that is there; `nil` for none.
  ///
  /// - Throws: `EEXIST` when somebody else made it.
  private func ownEntry() throws(Failure) -> KeyFile? {
    guard let entry = KeyFile(path: entryPath) else { return nil }
    guard SchemeEntry.isOurs(entry) else {
      throw .file(path: entryPath, SystemError(call: "not made by mero-consent", code: EEXIST))
    }
    return entry
  }

  private func write(_ entry: SchemeEntry) throws(Failure) {
    do {
      try Files.makeDirectories(directories.ownApplications, mode: 0o700)
      try Files.replace(entryPath, with: Array(entry.text.utf8), mode: 0o644)
    } catch {
      throw .file(path: entryPath, error)
    }
  }

  private func setDefault() async -> [String] {
    // The tool would put a plain file in the place of the link.
    if isLink(directories.ownList) {
      return [linkSentence("write \(scheme.type)=\(id) below [\(MimeDefaults.section)] there")]
    }
    // The tool writes to a file of this name, and would follow a link.
    if isLink(directories.ownList + ".new") { try? Files.unlink(directories.ownList + ".new") }
    return await tools.setDefault(id, for: scheme.type)
  }

  private func isLink(_ path: String) -> Bool {
    (try? Files.status(of: path, followsLink: false))?.kind == .symbolicLink
  }

  private func linkSentence(_ advice: String) -> String {
    "\(directories.ownList) is a link to a file that something else manages; \(advice)."
  }

  /// The list without what registering put there; `nil` where nothing of it is there.
  private func without(_ entry: SchemeEntry, _ list: KeyFile) -> KeyFile? {
    var changed = list
    for section in [MimeDefaults.section, "Added Associations"] {
      guard let value = list.value(of: scheme.type, in: section) else { continue }
      let ids = MimeDefaults.ids(value)
      guard ids.contains(id) else { continue }
      let rest = ids.filter { $0 != id }
      let isDefault = section == MimeDefaults.section
      if isDefault, rest.isEmpty, let previous = entry.previous {
        // Where registering has added a line (xdg-mime knows none with blanks), the one that was
        // there before says it again.
        changed.removeValue(of: scheme.type, in: section)
        if changed.value(of: scheme.type, in: section) != previous {
          changed = list
          changed.replaceValue(of: scheme.type, in: section, with: previous)
        }
      } else if rest.isEmpty {
        changed.removeValue(of: scheme.type, in: section)
        if isDefault, entry.madeSection { changed.removeSection(ifEmpty: section) }
      } else {
        changed.replaceValue(
          of: scheme.type, in: section, with: rest.joined(separator: ";") + ";")
      }
    }
    return changed == list ? nil : changed
  }

  private func replaceList(_ list: KeyFile, removesEmpty: Bool) throws(Failure) {
    let path = directories.ownList
    do {
      if removesEmpty, list.lines.allSatisfy(\.isEmpty) {
        try Files.unlink(path)
      } else {
        let mode = try Files.status(of: path).mode & 0o777
        try Files.replace(path, with: list.bytes, mode: mode)
      }
    } catch {
      throw .file(path: path, error)
    }
  }
}

/// Held while the folder's descriptor is open.
private final class SchemeLock {
  private let folder: OwnedDescriptor

  init(_ folder: consuming OwnedDescriptor) { self.folder = folder }
}
