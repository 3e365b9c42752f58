import Desktop
import EventLoop

/// The units, under the person's service manager.
enum UnitsCheck {
  @LoopActor static func look(_ patient: Patient) -> [Finding] {
    guard !patient.units.isEmpty else {
      return [
        .note(
          "units", "no user manager of systemd answers",
          mend: "Without it start mero-consentd by hand, in the desktop's autostart for example.")
      ]
    }
    guard patient.units.values.contains(where: { $0 != nil }) else {
      let text = "the package's units are not installed"
      let mend = "Install the package, or start mero-consentd by hand."
      return [
        patient.isDaemonUp ? .note("units", text, mend: mend) : .fault("units", text, mend: mend)
      ]
    }
    let missing = Patient.sockets.filter { unit in
      let state = patient.units[unit] ?? nil
      return state?.hasPrefix("enabled") != true
    }
    guard !missing.isEmpty else { return [.ok("units", "the sockets are enabled")] }
    let mend = "Enable them with “systemctl --user enable --now \(missing.joined(separator: " "))”."
    let text = "not enabled: \(missing.joined(separator: ", "))"
    // A daemon that somebody started by hand works all the same.
    return [
      patient.isDaemonUp ? .note("units", text, mend: mend) : .fault("units", text, mend: mend)
    ]
  }
}

/// Our own scheme opens with us.
enum SchemeCheck {
  @LoopActor static func look(_ patient: Patient) -> [Finding] {
    let handler = SchemeHandler.id(of: "mero-consent", patient.environment)
    if handler?.hasPrefix("mero-consent") == true {
      return [.ok("scheme", "mero-consent: opens with \(handler ?? "")")]
    }
    return [
      .fault(
        "scheme", handler.map { "mero-consent: opens with \($0)" } ?? "nothing opens mero-consent:",
        mend: "Register it with “mero-consent register-scheme mero-consent”; the package does so.")
    ]
  }
}

/// A browser can be started.
enum BrowserCheck {
  @LoopActor static func look(_ patient: Patient) async -> [Finding] {
    do {
      try await PageOpener(environment: patient.environment).check()
      return [.ok("browser", "pages can be opened")]
    } catch {
      return [
        .fault(
          "browser", error.sentence,
          mend: "Open pages by hand at the address that is told, or work in a graphical session "
            + "with a default browser (“xdg-settings set default-web-browser …”).")
      ]
    }
  }
}

/// Services of the desktop that are good to have.
enum DesktopServicesCheck {
  @LoopActor static func look(_ patient: Patient) async -> [Finding] {
    [
      await finding(
        "portal", "org.freedesktop.portal.Desktop", patient,
        missing: "pages are opened with xdg-open instead",
        mend: "Install xdg-desktop-portal with the backend of your desktop."),
      await finding(
        "notifications", "org.freedesktop.Notifications", patient,
        missing: "decisions are not announced",
        mend: "A notification service of your desktop would show them."),
    ]
  }

  @LoopActor private static func finding(
    _ name: String, _ service: String, _ patient: Patient, missing: String, mend: String
  ) async -> Finding {
    var isThere = false
    if let bus = patient.bus {
      isThere = (try? await BusServices(on: bus).has(service, until: patient.deadline)) ?? false
    }
    return isThere
      ? .ok(name, "\(service) is there") : .note(name, "none: \(missing)", mend: mend)
  }
}
