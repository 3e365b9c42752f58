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
  }

  var deadline: BootInstant { .now + Self.busLimit }

  var isDaemonUp: Bool { (try? status.get()) != nil }
}
