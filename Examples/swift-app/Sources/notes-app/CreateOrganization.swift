import ConsentClient
import Glibc
import MeroConsent

func createOrganization(named name: String, _ file: String) async throws(BrokerError) {
  let socket = getenv("S").map { String(cString: $0) }
  let session = try await MeroAppSession.open(
    readSession(file), daemon: BrokerClient(socket: socket))
  switch session.route {
  case .daemon: say("through the daemon")
  case .direct: say("without a daemon")
  }
  let result = try await session.requestConsent(.createOrg(name: name)) { started in
    say("Compare this code with the one on the page: \(started.code)")
    return true
  } unopened: { started in
    say("Open this page: \(started.url)")
    return true
  }
  if let org = result.orgId {
    say("Created: \(org), revision \(session.revision)")
  } else {
    say("Not created: \(result.status.rawValue)")
  }
}

/// A line that is seen at once, also in a pipe.
func say(_ line: String) {
  print(line)
  fflush(nil)
}
