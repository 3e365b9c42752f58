import Glibc

/// One port on 127.0.0.1 and on ::1. A port that is ours on one of them alone is never handed
/// out: a browser may try the other first, and find somebody else there.
@LoopActor package struct LoopbackListeners {
  package let ip4: Listener
  /// `nil` on a machine without IPv6, or without ::1 on its loopback.
  package let ip6: Listener?
  package let port: UInt16

  package enum Family: Sendable { case ip4, ip6 }

  package enum Failure: Error, Equatable, Sendable {
    /// Another program listens there.
    case portInUse(UInt16, Family)
    case system(SystemError)
  }

  /// How many ports of the kernel's choice are tried until one is free on both families.
  private static let attempts = 16

  /// Listens on this port.
  ///
  /// - Throws: `portInUse` when it is taken on either family; nothing stays open then.
  package init(port: UInt16) throws(Failure) {
    let ip4 = try Self.listen(.ip4, port)
    guard let ip4, let port = ip4.port else {
      throw .system(SystemError(call: "bind", code: EADDRNOTAVAIL))
    }
    do throws(Failure) {
      ip6 = try Self.listen(.ip6, port)
    } catch {
      ip4.close()
      throw error
    }
    self.ip4 = ip4
    self.port = port
  }

  /// Listens on `preferred`, or where that is taken on a port that the kernel chooses.
  package init(preferring preferred: UInt16?) throws(Failure) {
    if let preferred, preferred != 0 {
      do throws(Failure) {
        try self.init(port: preferred)
        return
      } catch {
        guard case .portInUse = error else { throw error }
      }
    }
    for _ in 1..<Self.attempts {
      do throws(Failure) {
        try self.init(port: 0)
        return
      } catch {
        guard case .portInUse = error else { throw error }
      }
    }
    try self.init(port: 0)
  }

  package func close() {
    ip4.close()
    ip6?.close()
  }

  /// - Returns: `nil` when the machine does not have ::1.
  private static func listen(_ family: Family, _ port: UInt16) throws(Failure) -> Listener? {
    do throws(SystemError) {
      return try family == .ip4 ? .loopback4(port: port) : .loopback6(port: port)
    } catch {
      switch error.code {
      case EADDRINUSE: throw .portInUse(port, family)
      case EAFNOSUPPORT where family == .ip6: return nil
      case EADDRNOTAVAIL where family == .ip6: return nil
      default: throw .system(error)
      }
    }
  }
}
