import ConsentClient
import EventLoop
import Glibc
import MeroConsent

/// The port that the browser brings people back to: listening, and nobody else's.
enum CallbackCheck {
  private static let name = "callback"
  /// The configuration's, where no daemon says another.
  private static let usual: UInt16 = 17463

  @LoopActor static func look(_ patient: Patient) -> [Finding] {
    let told = (try? patient.status.get())?.callbacks
    let port = told?.first.flatMap(port) ?? usual
    let others = ListeningPorts.owners(of: port).subtracting([patient.user])
    if let other = others.first {
      return [
        .fault(
          name, "port \(port) is also \(user(other))'s, who may receive your returns",
          mend: "Stop that program, or set another CallbackPort in mero-consentd.conf.")
      ]
    }
    guard let told else {
      return [.note(name, "nobody listens on port \(port)", mend: "The daemon does when it runs.")]
    }
    guard !told.isEmpty else {
      return [
        .fault(
          name, "the daemon does not listen",
          mend: patient.isService
            ? "“systemctl --user start mero-consentd-callback.socket” says why; free the port, or give "
              + "that unit another (docs/operations.md)."
            : "Free the port and restart the daemon, or set another CallbackPort in "
              + "mero-consentd.conf.")
      ]
    }
    return [.ok(name, told.joined(separator: ", "))]
  }

  /// Of `http://127.0.0.1:17463/return`.
  static func port(_ url: String) -> UInt16? {
    url.split(separator: "/").dropFirst().first?.split(separator: ":").last.flatMap { UInt16($0) }
  }

  private static func user(_ id: UInt32) -> String {
    getpwuid(id).map { String(cString: $0.pointee.pw_name) } ?? "user \(id)"
  }
}
