import ConsentClient
import EventLoop
import MeroConsent

/// The daemon: that it answers, that it is of this version, that it can record.
enum DaemonCheck {
  @LoopActor static func look(_ patient: Patient) -> [Finding] {
    let status: BrokerStatus
    do throws(BrokerError) { status = try patient.status.get() } catch {
      return [
        .fault(
          "daemon", "\(error.code.rawValue): \(error.advice)",
          mend: "Start it \(patient.howToStart); \(patient.whereItsLogIs) tells why it does not.")
      ]
    }
    var findings: [Finding] = []
    if status.version == ProductVersion.text {
      findings.append(.ok("daemon", "mero-consentd \(status.version) answers"))
    } else {
      findings.append(
        .fault(
          "daemon", "mero-consentd is \(status.version), and this is \(ProductVersion.text)",
          mend: "Restart it \(patient.howToRestart)."))
    }
    if status.stateHealth != "ok" {
      findings.append(
        .fault(
          "record",
          (["the record of requests is \(status.stateHealth)"]
            + [status.stateReason, StatusCommand.unwritten(status)].compactMap(\.self))
            .joined(separator: "; "),
          mend: "Look for room and rights in the daemon's state directory "
            + "($XDG_STATE_HOME/mero-consent without --state-dir); \(patient.whereItsLogIs) names the "
            + "fault."))
    } else if status.stateWasReset {
      findings.append(
        .note(
          "record", "it was damaged, and set up anew",
          mend: "The damaged one lies beside it in the daemon's state directory."))
    } else {
      findings.append(.ok("record", "requests are recorded"))
    }
    return findings
  }
}
