import EventLoop
import MeroConsent

/// Reads the tokens of configured sessions from the person's own files, and from what the service
/// manager passes as credentials (systemd.exec(5), `LoadCredential=`).
package struct TokenFiles: Sendable {
  /// Beyond the longest token, the line's end and some blanks.
  private static let largest = SessionTokens.longest + 64

  private let uid: UInt32
  /// `$CREDENTIALS_DIRECTORY`; `nil` where there is none.
  private let credentials: String?

  package init(_ surroundings: Surroundings) {
    uid = surroundings.uid
    credentials = surroundings.absolute("CREDENTIALS_DIRECTORY")
  }

  /// Why there is no token: `FILE:LINE: …`, without anything of it.
  struct Fault: Error, Equatable, Sendable {
    let text: String

    init(_ source: TokenSource, _ text: String) {
      self.text = "\(source.place.file):\(source.place.line): the \(source.key) \(text)"
    }
  }

  func tokens(of session: ConfiguredSession) throws(Fault) -> SessionTokens {
    let access = try read(session.token)
    let refresh: String?
    if let source = session.refreshToken { refresh = try read(source) } else { refresh = nil }
    return SessionTokens(accessToken: access, refreshToken: refresh)
  }

  /// The faults of every session's files, for who checks a configuration. A credential is only
  /// there in the service itself.
  func faults(of sessions: [ConfiguredSession]) -> [String] {
    sessions.flatMap { session in
      [session.token, session.refreshToken].compactMap { source -> String? in
        guard let source else { return nil }
        if case .credential = source.origin, credentials == nil { return nil }
        do throws(Fault) {
          _ = try read(source)
          return nil
        } catch {
          return error.text
        }
      }
    }
  }

  private func read(_ source: TokenSource) throws(Fault) -> String {
    let path: String
    switch source.origin {
    case .file(let name): path = name
    case .credential(let name):
      guard let credentials else {
        throw Fault(source, "names the credential \(name), and the service manager passed none")
      }
      path = "\(credentials)/\(name)"
    }
    let found: Result<String, Fault>
    do throws(SystemError) {
      var complaint = complaint(try Files.status(of: path))
      var text = ""
      // Looked at before: to open a pipe would wait for its writer.
      if complaint == nil {
        let file = try Files.open(path, .read)
        complaint = self.complaint(try file.status())
        if complaint == nil { text = Self.line(try file.readToEnd(limit: Self.largest)) }
      }
      found = complaint.map { .failure(Fault(source, "\(path) \($0)")) } ?? .success(text)
    } catch {
      found = .failure(Fault(source, "\(path) cannot be read: \(error)"))
    }
    let token = try found.get()
    guard SessionTokens(accessToken: token).unusableField == nil else {
      throw Fault(source, "\(path) is empty, longer than 16 KiB, or has signs that no token has")
    }
    return token
  }

  /// A token that others could read or could have put there is not used.
  private func complaint(_ status: FileStatus) -> String? {
    if status.kind != .regular { return "is not a file" }
    if status.owner != uid { return "belongs to another user" }
    if status.mode & 0o077 != 0 { return "is open to others: chmod 600 it" }
    return nil
  }

  /// Without the blanks and line ends around it.
  private static func line(_ bytes: [UInt8]) -> String {
    let isBlank: (UInt8) -> Bool = { [0x20, 0x09, 0x0a, 0x0d].contains($0) }
    let start = bytes.drop(while: isBlank)
    let count = start.reversed().drop(while: isBlank).count
    return String(decoding: start.prefix(count), as: UTF8.self)
  }
}
