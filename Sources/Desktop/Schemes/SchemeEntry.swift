/// The desktop file that gives one scheme to `mero-consent handle`, and what has to be put back
/// when it goes.
struct SchemeEntry: Sendable, Equatable {
  let scheme: SchemeName
  /// An absolute path that needs no quotes: with them, some versions of `xdg-open` look for a
  /// program whose name has quotes in it.
  let program: String
  /// What the person's own list had for the scheme, word for word.
  var previous: String?
  /// Whether that list, or its section of defaults, was made for this.
  var madeList = false
  var madeSection = false

  static let group = "Desktop Entry"

  /// Which keeps this apart from the package's own entry, `mero-consent.desktop`.
  static func id(of scheme: SchemeName) -> String { "mero-consent-\(scheme.text).desktop" }

  var id: String { Self.id(of: scheme) }

  /// `nil` for a path that would need quotes (desktop-entry-spec, "The Exec key").
  static func usable(_ program: String) -> String? {
    let isPlain = program.utf8.allSatisfy { byte in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || "/._+-".utf8.contains(byte)
    }
    return program.hasPrefix("/") && isPlain ? program : nil
  }

  var text: String {
    var lines = [
      "[\(Self.group)]", "Type=Application", "Version=1.4",
      "Name=Calimero consent (\(scheme.text))",
      "Comment=Hands the answer of a consent page to the app that asked",
      "Exec=\(program) handle %u", "MimeType=\(scheme.type);", "NoDisplay=true",
      "Terminal=false", "StartupNotify=true",
    ]
    if let previous { lines.append("\(Key.previous)=\(previous)") }
    if madeList { lines.append("\(Key.madeList)=true") }
    if madeSection { lines.append("\(Key.madeSection)=true") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Whether an entry of this name was made by registering, and not by somebody else.
  static func isOurs(_ file: KeyFile) -> Bool {
    file.value(of: "Exec", in: group)?.hasSuffix("/mero-consent handle %u") == true
  }

  /// What an entry that is there says about what was before.
  mutating func takeMemory(from file: KeyFile) {
    previous = file.value(of: Key.previous, in: Self.group)
    madeList = file.value(of: Key.madeList, in: Self.group) == "true"
    madeSection = file.value(of: Key.madeSection, in: Self.group) == "true"
  }

  private enum Key {
    static let previous = "X-MeroConsent-Previous"
    static let madeList = "X-MeroConsent-MadeList"
    static let madeSection = "X-MeroConsent-MadeSection"
  }
}
