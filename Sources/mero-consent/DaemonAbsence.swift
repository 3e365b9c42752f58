import ConsentClient
import EventLoop
import Glibc

/// Why no daemon was reached: which path was tried, and what is there.
enum DaemonAbsence {
  @LoopActor static func explained(
    _ arguments: ParsedArguments
  ) async -> (message: String, hint: String) {
    let path = Daemon.client(arguments).socket
    let message = "No consent daemon answers at \(path): \(await reason(path))."
    guard arguments.value(.socket) == nil else {
      return (message, "Check --socket; without it, the daemon's usual socket is taken.")
    }
    return (
      message,
      "Start it with “systemctl --user start mero-consentd.socket”, or by hand with "
        + "“mero-consentd &”; “mero-consent doctor” tells more."
    )
  }

  @LoopActor private static func reason(_ path: String) async -> String {
    do throws(SystemError) {
      let status = try Files.status(of: path, followsLink: true)
      guard status.kind == .socket else { return "that is no socket" }
    } catch {
      return words(error)
    }
    do {
      try await Connector.unix(path: path, deadline: .now + .seconds(1)).close()
    } catch {
      return if case .system(let error) = error { words(error) } else { "it does not take calls" }
    }
    return "it takes the call and says nothing"
  }

  private static func words(_ error: SystemError) -> String {
    switch error.code {
    case ENOENT: "there is no such file"
    case ENOTDIR: "a part of the path is no directory"
    case ECONNREFUSED: "nobody listens on that socket"
    case EACCES, EPERM: "this user may not use it"
    case ENAMETOOLONG: "the path is longer than a socket's can be"
    default: "\(error)"
    }
  }
}
