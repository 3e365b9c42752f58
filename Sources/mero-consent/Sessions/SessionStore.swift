import ConsentClient
import EventLoop
import Glibc

/// The keys of the sessions that this program opened, in the runtime directory: in memory, this
/// user's alone, gone when they log out, as the daemon's sessions are.
struct SessionStore: Sendable {
  /// `$XDG_RUNTIME_DIR/mero-consent`.
  let base: String
  let owner: UInt32

  private var directory: String { base + "/cli" }
  /// Where the daemon puts the keys of the sessions of its configuration.
  private var configured: String { base + "/sessions" }
  /// Holds the name of the default session; no session's name begins with a dot.
  private static let defaultName = ".default"
  private var defaultFile: String { directory + "/" + Self.defaultName }

  /// - Parameter base: this user's own by default.
  init(base: String = Files.directory(of: SocketLocation.standard()), owner: UInt32 = geteuid()) {
    self.base = base
    self.owner = owner
  }

  enum Source: String, Sendable { case added, configured }

  struct Entry: Sendable, Equatable {
    let name: String
    let source: Source
  }

  // MARK: Reading

  /// Sorted by name; a session that was added stands before one of the configuration that is
  /// called the same, and hides it.
  func entries() throws(CommandFailure) -> [Entry] {
    let added = try names(in: directory).map { Entry(name: $0, source: .added) }
    let others = try names(in: configured).map { Entry(name: $0, source: .configured) }
    let hidden = Set(added.map(\.name))
    return (added + others.filter { !hidden.contains($0.name) }).sorted { $0.name < $1.name }
  }

  /// The name that `--session` may leave out: of the first session that was added, or of the
  /// only one.
  func defaultName() throws(CommandFailure) -> String? {
    let entries = try entries()
    if let bytes = try? PrivateFile.read(defaultFile, limit: 256, followsLink: false, owner: owner),
      let entry = entries.first(where: { Array($0.name.utf8) == bytes })
    {
      return entry.name
    }
    return entries.count == 1 ? entries.first?.name : nil
  }

  /// - Throws: `NO_SESSION`, `FILE_NOT_PRIVATE`, `FILE_UNUSABLE`.
  func key(of name: String) throws(CommandFailure) -> SessionKey {
    let entries = try entries()
    guard let entry = entries.first(where: { $0.name == name }) else {
      let near = Nearest.word(to: name, of: entries.map(\.name))
      throw CommandFailure(
        .configuration, .noSession, "there is no session “\(name)”",
        hint: near.map { "Did you mean “\($0)”?" } ?? "“mero-consent session list” shows them.")
    }
    let path = (entry.source == .added ? directory : configured) + "/" + name
    let bytes = try PrivateFile.read(path, limit: 512, followsLink: false, owner: owner)
    let text = String(decoding: bytes, as: UTF8.self)
    guard let key = SessionKey(text.last == "\n" ? String(text.dropLast()) : text) else {
      throw CommandFailure(
        .badData, .fileUnusable, "\(path) holds no key",
        hint: "Remove that file; the session cannot be used without its key.", field: path)
    }
    return key
  }

  // MARK: Writing

  /// Keeps a session's key; the first one is the default.
  ///
  /// - Throws: `NO_RUNTIME_DIR`, `FILE_UNUSABLE`.
  func keep(_ key: SessionKey, as name: String) throws(CommandFailure) {
    try makeDirectory(base)
    try makeDirectory(directory)
    let isFirst = try defaultName() == nil
    try write(key.text, as: name)
    if isFirst { try write(name, as: Self.defaultName) }
  }

  /// - Returns: the name of the default session from now on, where it is another one.
  func forget(_ name: String) throws(CommandFailure) -> String? {
    let wasDefault = try defaultName() == name
    let path = directory + "/" + name
    do throws(SystemError) {
      try OpenDirectory(directory, owner: owner).unlink(name)
    } catch {
      throw Self.failed(path, error)
    }
    guard wasDefault else { return nil }
    let next = try entries().first?.name
    if let next {
      try write(next, as: Self.defaultName)
    } else {
      try? OpenDirectory(directory, owner: owner).unlink(Self.defaultName)
    }
    return next
  }

  // MARK: Names

  /// Letters, digits, `.`, `_` and `-`, up to 64, not beginning with a dot or a dash.
  static func isName(_ text: String) -> Bool {
    guard (1...64).contains(text.utf8.count), let first = text.utf8.first,
      first != UInt8(ascii: "."), first != UInt8(ascii: "-")
    else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "-"):
        true
      default: false
      }
    }
  }

  // MARK: Directories

  private func names(in directory: String) throws(CommandFailure) -> [String] {
    do throws(SystemError) {
      let status = try Files.status(of: directory, followsLink: false)
      guard status.kind == .directory, status.owner == owner, status.mode & 0o077 == 0 else {
        throw SystemError(call: "stat", code: EPERM)
      }
      return try Files.names(in: directory).filter(Self.isName)
    } catch {
      switch error.code {
      case ENOENT, ENOTDIR: return []
      case EPERM:
        throw CommandFailure(
          .notAllowed, .fileNotPrivate, "\(directory) is not this user's alone",
          hint: "Look at it with “ls -ld \(directory)”, and remove it.", field: directory)
      default: throw Self.failed(directory, error)
      }
    }
  }

  private func makeDirectory(_ path: String) throws(CommandFailure) {
    let isPrivate: Bool
    do throws(SystemError) {
      do throws(SystemError) {
        try Files.makeDirectory(path, mode: 0o700)
      } catch {
        guard error.code == EEXIST else { throw error }
      }
      let status = try Files.status(of: path, followsLink: false)
      isPrivate = status.kind == .directory && status.owner == owner && status.mode & 0o077 == 0
    } catch {
      throw CommandFailure(
        .configuration, .noRuntimeDirectory, Self.withoutRuntimeDirectory(path, error),
        hint: "Log in through the desktop, or name a directory of yours alone: "
          + "export XDG_RUNTIME_DIR=$(mktemp -d)",
        field: path)
    }
    guard isPrivate else {
      throw CommandFailure(
        .notAllowed, .fileNotPrivate, "\(path) is not this user's alone",
        hint: "Look at it with “ls -ld \(path)”; “chmod 700 \(path)” if it is yours.", field: path)
    }
  }

  /// What has to be said where no session is found, and the place of their keys may be another.
  static var doubt: String? {
    let variable = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } ?? ""
    return variable.hasPrefix("/")
      ? nil
      : "XDG_RUNTIME_DIR is not set, so sessions that were added where it is are not found, with or "
        + "without --socket."
  }

  /// `--socket` names the daemon only: where keys are kept is another question.
  private static func withoutRuntimeDirectory(_ path: String, _ error: SystemError) -> String {
    let variable = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } ?? ""
    let reason =
      variable.isEmpty
      ? "XDG_RUNTIME_DIR is not set"
      : variable.hasPrefix("/")
        ? "XDG_RUNTIME_DIR is \(variable)" : "XDG_RUNTIME_DIR is no absolute path"
    return "the keys of sessions have no place, with or without --socket: \(reason), and \(path) "
      + "cannot be used (\(error))"
  }

  private func write(_ text: String, as name: String) throws(CommandFailure) {
    do throws(SystemError) {
      try OpenDirectory(directory, owner: owner).replace(
        name, with: Array(text.utf8), mode: 0o600)
    } catch {
      throw Self.failed("\(directory)/\(name)", error)
    }
  }

  private static func failed(_ path: String, _ error: SystemError) -> CommandFailure {
    CommandFailure(.notWritten, .fileUnusable, "\(path): \(error)", field: path)
  }
}
