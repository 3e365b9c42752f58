import EventLoop

/// The runtime directory, and ours in it: whoever could write there could answer in the daemon's
/// name.
enum DirectoryCheck {
  private static let name = "runtime directory"

  @LoopActor static func look(_ patient: Patient) -> [Finding] {
    let base = patient.store.base
    let parent = Files.directory(of: base)
    guard let status = try? Files.status(of: parent), status.kind == .directory,
      status.owner == patient.user
    else {
      return [
        .fault(
          name, "\(parent) is not there, or not yours",
          mend: "Log in through the desktop (pam_systemd makes it), or set XDG_RUNTIME_DIR to a "
            + "directory of yours with the mode 0700.")
      ]
    }
    guard status.mode & 0o077 == 0 else {
      return [
        .fault(name, "\(parent) is open to others", mend: "Close it with “chmod 700 \(parent)”.")
      ]
    }
    if patient.environment["XDG_RUNTIME_DIR"]?.hasPrefix("/") != true {
      return [
        .note(name, "XDG_RUNTIME_DIR is not set; \(parent) is used", mend: "Set XDG_RUNTIME_DIR.")
      ]
    }
    return [own(base, patient.user)]
  }

  private static func own(_ path: String, _ user: UInt32) -> Finding {
    guard let status = try? Files.status(of: path, followsLink: false) else {
      return .note(name, "\(path) is not there yet", mend: "The daemon makes it when it starts.")
    }
    guard status.kind == .directory, status.owner == user else {
      return .fault(name, "\(path) is not a directory of yours", mend: "Remove it.")
    }
    guard status.mode & 0o077 == 0 else {
      return .fault(name, "\(path) is open to others", mend: "Close it with “chmod 700 \(path)”.")
    }
    return .ok(name, path)
  }
}
