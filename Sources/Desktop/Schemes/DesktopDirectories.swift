/// The folders of the XDG base directory specification that desktop files and defaults are in.
struct DesktopDirectories: Sendable {
  /// Lists of default programs, the first found counts (mime-apps-spec, "File name and location").
  let defaultLists: [String]
  /// What desktops look through for desktop files, the person's own first.
  let applications: [String]
  /// The person's own list of defaults.
  let ownList: String
  /// The person's own desktop files.
  let ownApplications: String

  /// - Returns: `nil` without a home.
  init?(_ environment: [String: String]) {
    /// "All paths set in these environment variables must be absolute", else they do not count.
    func paths(_ name: String) -> [String] {
      (environment[name] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }.map(String.init)
    }
    let home = paths("HOME").first
    guard let config = paths("XDG_CONFIG_HOME").first ?? home.map({ $0 + "/.config" }),
      let data = paths("XDG_DATA_HOME").first ?? home.map({ $0 + "/.local/share" })
    else { return nil }
    let configs = paths("XDG_CONFIG_DIRS")
    let datas = paths("XDG_DATA_DIRS")
    let allData = [data] + (datas.isEmpty ? ["/usr/local/share", "/usr/share"] : datas)
    applications = allData.map { $0 + "/applications" }
    ownList = config + "/mimeapps.list"
    ownApplications = data + "/applications"
    let desktops = (environment["XDG_CURRENT_DESKTOP"] ?? "").split(separator: ":")
    let names = desktops.map { $0.lowercased() + "-mimeapps.list" } + ["mimeapps.list"]
    let folders = [config] + (configs.isEmpty ? ["/etc/xdg"] : configs) + applications
    defaultLists = folders.flatMap { folder in names.map { folder + "/" + $0 } }
  }
}
