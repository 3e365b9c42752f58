import ConsentClient
import EventLoop
import FoundationEssentials
import MeroConsent

/// Each session: its node is reached, proves itself, takes the token, and its clock is ours.
enum SessionCheckup {
  /// Seconds that two clocks may differ by: tokens and attestations have times in them.
  private static let tolerance = 60.0

  @LoopActor static func look(_ patient: Patient) async -> [Finding] {
    guard patient.isDaemonUp else { return [] }
    let entries: [SessionStore.Entry]
    do throws(CommandFailure) { entries = try patient.store.entries() } catch {
      return [.fault("sessions", error.message, mend: error.hint ?? "Look at that file.")]
    }
    if entries.isEmpty {
      return [
        .note("sessions", "there is none", mend: "“mero-consent help session add” tells how.")
      ]
    }
    var findings: [Finding] = []
    for entry in entries { findings += await look(entry.name, patient) }
    return findings
  }

  @LoopActor private static func look(_ name: String, _ patient: Patient) async -> [Finding] {
    let session: BrokerSession
    do throws(CommandFailure) {
      session = patient.client.session(key: try patient.store.key(of: name))
    } catch {
      return [.fault(name, error.message, mend: error.hint ?? "Look at that file.")]
    }
    do throws(BrokerError) {
      return working(name, try await session.check())
    } catch {
      return failing(name, error, node: (try? await session.info())?.nodeURL, patient)
    }
  }

  private static func working(_ name: String, _ check: SessionCheck) -> [Finding] {
    passed(name, 3) + [clock(name, check)]
  }

  /// The steps on the way, the first `count` of which were taken.
  private static func passed(_ name: String, _ count: Int) -> [Finding] {
    [
      "the node is reached", "the node proves itself, and the session is sealed",
      "the node takes the token",
    ]
    .prefix(count).map { .ok(name, $0) }
  }

  static func clock(_ name: String, _ check: SessionCheck) -> Finding {
    guard let node = check.nodeClock else {
      return .note(name, "the node does not tell its time", mend: nil)
    }
    let offset = node.timeIntervalSince(check.checkedAt)
    guard abs(offset) > tolerance else { return .ok(name, "the node's clock is as this machine's") }
    let span = TimeText.span(.seconds(abs(offset).rounded()))
    return .fault(
      name, "the node's clock is \(span) \(offset > 0 ? "ahead of" : "behind") this machine's",
      mend: "Set this machine's clock (“timedatectl set-ntp true”); if it is right, tell whoever "
        + "runs the node.")
  }

  private static func failing(
    _ name: String, _ error: BrokerError, node: String?, _ patient: Patient
  ) -> [Finding] {
    let mend =
      FailureHints.hint(error.code, session: name, patient.arguments)
      ?? "“\(patient.arguments.again("node probe", words: [node ?? "URL"], keepsSocket: false))” "
      + "tells more."
    let steps =
      switch error.consentCode {
      case .nodeUntrusted: 1
      case .sessionExpired: 2
      default: 0
      }
    return passed(name, steps) + [
      .fault(name, "\(error.code.rawValue): \(error.advice)", mend: mend)
    ]
  }
}
