import EventLoop

/// `mero-consent doctor`: looks whether everything works, and says how to mend what does not.
enum DoctorCommand {
  static let command = Command(
    path: ["doctor"], group: .care, summary: "find out what does not work, and how to mend it",
    description: [
      "It looks at the runtime directory, the socket, the daemon and its units, the callback's "
        + "port, our scheme, the browser and the desktop's services, and asks the node of each "
        + "session. It changes nothing.",
      "A fault is something that does not work; a note is something that is good to have.",
    ],
    options: [.socket], exitCodes: [.done, .faulty, .usage],
    faultMeaning: "something does not work",
    run: { (arguments, terminal) throws(CommandFailure) in
      let findings = await examine(Patient(arguments))
      let isHealthy = !findings.contains { $0.state == .fault }
      try terminal.document(DoctorDocument(ok: isHealthy, checks: findings))
      try terminal.print(findings.flatMap { $0.lines(terminal.style) })
      return isHealthy ? .done : .faulty
    })

  @LoopActor private static func examine(_ patient: Patient) async -> [Finding] {
    DirectoryCheck.look(patient) + SocketCheck.look(patient) + DaemonCheck.look(patient)
      + CallbackCheck.look(patient) + UnitsCheck.look(patient) + SchemeCheck.look(patient)
      + (await BrowserCheck.look(patient)) + (await DesktopServicesCheck.look(patient))
      + (await SessionCheckup.look(patient))
  }
}

private struct DoctorDocument: Encodable {
  let ok: Bool
  let checks: [Finding]
}
