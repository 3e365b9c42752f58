import ConsentClient
import Desktop
import EventLoop
import FoundationEssentials
import Glibc
import MeroConsent

/// What the checks look at, asked for once.
@LoopActor struct Patient {
  let arguments: ParsedArguments
  let client: BrokerClient
  let store: SessionStore
  let environment: [String: String]
  let user: UInt32
  let status: Result<BrokerStatus, BrokerError>
  /// `nil` where there is no session bus.
  let bus: SessionBus?
  /// How the person's service manager has our sockets, by the names of their units.
  let units: [String: String?]

  /// For each question on the bus.
  static let busLimit: Duration = .seconds(2)

  init(_ arguments: ParsedArguments) async {
    self.arguments = arguments
    client = Daemon.client(arguments)
    store = SessionStore()
    environment = ProcessInfo.processInfo.environment
    user = geteuid()
    do throws(BrokerError) {
      status = .success(try await client.status())
    } catch {
      status = .failure(error)
    }
    bus = try? SessionBus(environment)
    units = await Self.units(on: bus)
  }

  static let sockets = [
    "mero-consentd.socket", "mero-consentd-callback.socket", "mero-consentd-callback6.socket",
  ]

  /// Empty where no user manager of systemd answers.
  private static func units(on bus: SessionBus?) async -> [String: String?] {
    guard let bus else { return [:] }
    var states: [String: String?] = [:]
    for unit in sockets {
      do throws(BusError) {
        states[unit] = .some(try await UnitFiles(on: bus).state(of: unit, until: .now + busLimit))
      } catch {
        return [:]
      }
    }
    return states
  }

  var deadline: BootInstant { .now + Self.busLimit }

  var isDaemonUp: Bool { (try? status.get()) != nil }

  // MARK: What to do, by who runs the daemon

  /// Whether the daemon on this socket is the service manager's.
  var isService: Bool {
    client.socket == SocketLocation.standard() && units["mero-consentd.socket"] ?? nil != nil
  }

  /// Completes “Start it …”.
  var howToStart: String {
    isService
      ? "with “systemctl --user start mero-consentd.socket”"
      : "with “\(arguments.daemonCommand)”"
  }

  /// Completes “Restart it …”.
  var howToRestart: String {
    isService
      ? "with “systemctl --user restart mero-consentd”"
      : "by hand: end that process, then “\(arguments.daemonCommand)”"
  }

  /// The subject of “… tells why”.
  var whereItsLogIs: String {
    isService ? "“journalctl --user -u mero-consentd”" : "what it writes to its standard error"
  }
}
