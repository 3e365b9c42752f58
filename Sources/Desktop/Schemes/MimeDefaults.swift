import EventLoop

/// Which program opens what, as the desktop's lists say it (mime-apps-spec).
struct MimeDefaults: Sendable {
  static let section = "Default Applications"

  private let directories: DesktopDirectories?

  init(_ environment: [String: String]) { directories = DesktopDirectories(environment) }

  /// Whether web pages would be opened with the handler of our own schemes: then no browser is
  /// set, and asking for one would start ourselves.
  var opensWebPagesWithUs: Bool {
    ["https", "http"].contains { scheme in
      handler(of: "x-scheme-handler/\(scheme)")?.hasPrefix("mero-consent") == true
    }
  }

  /// The id of the program that is set for a type, where one is; else of the first that offers
  /// itself for it.
  func handler(of type: String) -> String? {
    guard let directories else { return nil }
    for list in directories.defaultLists {
      guard let value = KeyFile(path: list)?.value(of: type, in: Self.section) else { continue }
      if let id = Self.ids(value).first(where: isInstalled) { return id }
    }
    for folder in directories.applications {
      let cache = KeyFile(path: folder + "/mimeinfo.cache")
      guard let value = cache?.value(of: type, in: "MIME Cache") else { continue }
      if let id = Self.ids(value).first(where: isInstalled) { return id }
    }
    return nil
  }

  static func ids(_ value: String) -> [String] { value.split(separator: ";").map(String.init) }

  /// An id is a path below the folder, with dashes for slashes (desktop-entry-spec, "Desktop
  /// File ID"); of those only the ones in the folder itself and one below are looked for.
  private func isInstalled(_ id: String) -> Bool {
    let names = [id, id.replacingFirstDash]
    return directories?.applications.contains { folder in
      names.contains { name in (try? Files.status(of: "\(folder)/\(name)"))?.kind == .regular }
    } ?? false
  }
}

extension String {
  fileprivate var replacingFirstDash: String {
    guard let dash = firstIndex(of: "-") else { return self }
    return "\(self[..<dash])/\(self[index(after: dash)...])"
  }
}
