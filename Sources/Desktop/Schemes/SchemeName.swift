/// A URL scheme that an app may call its own (RFC 3986, section 3.1), in lower case.
package struct SchemeName: Sendable, Hashable {
  /// Why a name is not taken.
  package enum Refusal: Error, Sendable, Equatable {
    /// Not a letter followed by letters, digits, `+`, `-` and `.`, at most `longest`.
    case malformed
    /// It belongs to no app: what it stands for is everybody's.
    case reserved
  }

  /// Characters of the longest name. Those in use have up to about thirty.
  package static let longest = 64

  package let text: String

  /// - Parameter text: case does not count.
  package init(_ text: String) throws(Refusal) {
    let bytes = Array(text.utf8)
    guard let first = bytes.first, bytes.count <= Self.longest, Self.isLetter(first),
      bytes.allSatisfy({ Self.isLetter($0) || Self.isDigit($0) || "+-.".utf8.contains($0) })
    else { throw .malformed }
    self.text = text.lowercased()
    guard !Self.reserved.contains(self.text) else { throw .reserved }
  }

  /// What desktops call the type of its URLs.
  package var type: String { "x-scheme-handler/\(text)" }

  /// Schemes of the web, of mail and telephony, of files and shares, of browsers and desktops
  /// themselves. `docs/operations.md` has the list.
  package static let reserved: Set<String> = [
    "about", "admin", "afp", "apt", "appstream", "blob", "cdda", "chrome", "chrome-extension",
    "computer", "data", "dav", "davs", "dns", "facetime", "feed", "file", "filesystem", "fish",
    "flatpak", "ftp", "ftps", "geo", "git", "gphoto2", "help", "http", "https", "im", "info",
    "irc", "irc6", "ircs", "javascript", "ldap", "ldaps", "magnet", "mailto", "man", "mid", "mms",
    "moz-extension", "mtp", "network", "news", "nfs", "nntp", "rdp", "recent", "resource", "rtsp",
    "sftp", "sip", "sips", "sms", "smb", "snap", "ssh", "steam", "tel", "telnet", "trash", "urn",
    "vbscript", "view-source", "vnc", "webcal", "ws", "wss", "xmpp",
  ]

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
