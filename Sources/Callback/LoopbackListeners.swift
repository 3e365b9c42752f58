package import EventLoop
import Glibc

/// One port on 127.0.0.1 and ::1, or on the one family that the machine has. A port that is ours
/// on one of them alone is never handed out: a browser may try the other first, and find somebody
/// else there.
@LoopActor package struct LoopbackListeners {
  package let ipv4: Listener?
  package let ipv6: Listener?
  package let port: UInt16

  package enum Family: String, Sendable {
    case ipv4, ipv6

    package var address: String { self == .ipv4 ? "127.0.0.1" : "::1" }
  }

  package enum Failure: Error, Equatable, Sendable {
    /// Another program listens there.
    case portInUse(UInt16, Family)
    case system(UInt16, Family, SystemError)
    /// The machine has neither address.
    case noLoopback
  }

  /// How often a free port is looked for that is free on both families.
  package static let attempts = 16

  /// Binds both families; they are never closed to be bound again.
  ///
  /// - Parameter port: 0 takes one that is free on both.
  package init(port: UInt16) throws(Failure) {
    // What was bound stays bound meanwhile, so that the kernel chooses another each time.
    var taken: [Listener] = []
    defer { for listener in taken { listener.close() } }
    var attempt = 1
    while true {
      let ipv4 = try Self.bind(.ipv4, port: port)
      do throws(Failure) {
        let ipv6 = try Self.bind(.ipv6, port: ipv4?.port ?? port)
        guard let bound = ipv4?.port ?? ipv6?.port else { throw .noLoopback }
        (self.ipv4, self.ipv6, self.port) = (ipv4, ipv6, bound)
        return
      } catch {
        if let ipv4 { taken.append(ipv4) }
        guard port == 0, case .portInUse = error, attempt < Self.attempts else { throw error }
      }
      attempt += 1
    }
  }

  package var all: [Listener] { [ipv4, ipv6].compactMap(\.self) }

  /// - Returns: `nil` where the machine does not have the family.
  private static func bind(_ family: Family, port: UInt16) throws(Failure) -> Listener? {
    do {
      return try family == .ipv4 ? .loopback4(port: port) : .loopback6(port: port)
    } catch {
      switch error.code {
      case EAFNOSUPPORT, EADDRNOTAVAIL: return nil
      case EADDRINUSE: throw .portInUse(port, family)
      default: throw .system(port, family, error)
      }
    }
  }
}
