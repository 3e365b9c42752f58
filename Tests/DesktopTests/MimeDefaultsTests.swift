import EventLoop
import FoundationEssentials
import Testing

@testable import Desktop

@Suite struct MimeDefaultsTests {
  let home = "/tmp/mero-desktop-\(UUID().uuidString)"

  func write(_ files: [String: String]) throws -> MimeDefaults {
    for (name, text) in files {
      try Files.makeDirectories(Files.directory(of: "\(home)/\(name)"), mode: 0o700)
      try Files.replace("\(home)/\(name)", with: Array(text.utf8), mode: 0o600)
    }
    return MimeDefaults([
      "HOME": home, "XDG_DATA_DIRS": "\(home)/system", "XDG_CONFIG_DIRS": "\(home)/etc",
      "XDG_CURRENT_DESKTOP": "KDE:x",
    ])
  }

  func remove() { try? FileManager.default.removeItem(atPath: home) }

  static let applications = ".local/share/applications"
  static func list(_ id: String) -> String { "[Default Applications]\na/b=\(id)\n" }

  @Test func theDesktopsOwnListComesFirst() throws {
    defer { remove() }
    let defaults = try write([
      ".config/kde-mimeapps.list": Self.list("gone.desktop;one.desktop;"),
      ".config/mimeapps.list": Self.list("two.desktop"),
      "\(Self.applications)/one.desktop": "", "system/applications/two.desktop": "",
    ])
    #expect(defaults.handler(of: "a/b") == "one.desktop")
    #expect(defaults.handler(of: "a/c") == nil)
    try Files.unlink("\(home)/\(Self.applications)/one.desktop")
    #expect(defaults.handler(of: "a/b") == "two.desktop")
  }

  @Test func whatOffersItselfComesLast() throws {
    defer { remove() }
    let defaults = try write([
      "etc/mimeapps.list": Self.list("kde-three.desktop"),
      "system/applications/kde/three.desktop": "",
      "\(Self.applications)/mimeinfo.cache": "[MIME Cache]\na/b=four.desktop;\nc/d=four.desktop;\n",
      "\(Self.applications)/four.desktop": "",
    ])
    #expect(defaults.handler(of: "a/b") == "kde-three.desktop")
    #expect(defaults.handler(of: "c/d") == "four.desktop")
  }

  @Test func withoutAHomeThereIsNothing() {
    #expect(MimeDefaults([:]).handler(of: "a/b") == nil)
    #expect(MimeDefaults(["HOME": "relative"]).handler(of: "a/b") == nil)
    #expect(!MimeDefaults([:]).opensWebPagesWithUs)
  }
}
