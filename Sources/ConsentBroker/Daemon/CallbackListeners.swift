package import EventLoop
import Glibc

/// The callback's listeners: one port on 127.0.0.1 and ::1, or on the one family that there is.
@LoopActor package struct CallbackListeners {
  package let ipv4: Listener?
  package let ipv6: Listener?
  package let port: UInt16
  /// What a person should know: a family that this machine does not have.
  package let warning: String?

  /// How often a free port is looked for that is free on both families.
  static let attempts = 16

  /// Binds both families; they are never closed to be bound again.
  ///
  /// - Parameter port: 0 takes one that is free on both.
  /// - Throws: `CALLBACK_PORT_IN_USE` with the port and the family, `CALLBACK_UNAVAILABLE`.
  package init(port: UInt16) throws(StartFailure) {
    var last = StartFailure(.callbackUnavailable, "no port is free on both 127.0.0.1 and ::1")
    // What was bound stays bound meanwhile, so that the kernel chooses another each time.
    var taken: [Listener] = []
    defer { for listener in taken { listener.close() } }
    for _ in 0..<(port == 0 ? Self.attempts : 1) {
      let ipv4 = try Self.bind(.ipv4, port: port)
      let chosen = ipv4?.port ?? port
      do throws(StartFailure) {
        let ipv6 = try Self.bind(.ipv6, port: chosen)
        guard let bound = ipv4?.port ?? ipv6?.port else {
          throw StartFailure(
            .callbackUnavailable, "this machine has neither 127.0.0.1 nor ::1 to listen on")
        }
        self.init(ipv4: ipv4, ipv6: ipv6, port: bound)
        return
      } catch {
        if let ipv4 { taken.append(ipv4) }
        guard port == 0, error.word == .callbackPortInUse else { throw error }
        last = error
      }
    }
    throw last
  }

  /// Binds a configured port; with 0, the one of the last run where it is still free, so that
  /// pages that were told of it still lead here.
  static func bind(port: UInt16, last: UInt16?) throws(StartFailure) -> CallbackListeners {
    guard port == 0, let last else { return try CallbackListeners(port: port) }
    do throws(StartFailure) {
      return try CallbackListeners(port: last)
    } catch {
      guard error.word == .callbackPortInUse else { throw error }
      return try CallbackListeners(port: 0)
    }
  }

  /// Takes over listeners that the service manager made.
  package init?(adopting ipv4: Listener?, _ ipv6: Listener?) {
    guard let port = ipv4?.port ?? ipv6?.port else { return nil }
    self.init(ipv4: ipv4, ipv6: ipv6, port: port)
  }

  private init(ipv4: Listener?, ipv6: Listener?, port: UInt16) {
    (self.ipv4, self.ipv6, self.port) = (ipv4, ipv6, port)
    warning =
      switch (ipv4, ipv6) {
      case (nil, _): "there is no 127.0.0.1 here; the callback listens on [::1]:\(port) only"
      case (_, nil): "there is no ::1 here; the callback listens on 127.0.0.1:\(port) only"
      case (_, _): nil
      }
  }

  package var address: CallbackAddress {
    CallbackAddress(port: port, hasIPv4: ipv4 != nil, hasIPv6: ipv6 != nil)
  }

  package var all: [Listener] { [ipv4, ipv6].compactMap(\.self) }

  private enum Family: String {
    case ipv4, ipv6

    var address: String { self == .ipv4 ? "127.0.0.1" : "::1" }
  }

  /// - Returns: `nil` where the machine does not have the family.
  private static func bind(_ family: Family, port: UInt16) throws(StartFailure) -> Listener? {
    do {
      return try family == .ipv4 ? .loopback4(port: port) : .loopback6(port: port)
    } catch {
      switch error.code {
      case EAFNOSUPPORT, EADDRNOTAVAIL: return nil
      case EADDRINUSE:
        throw StartFailure(
          .callbackPortInUse,
          "port \(port) is in use by another program on \(family.rawValue) (\(family.address)); "
            + "stop that program, or choose another port with CallbackPort= or --callback-port")
      default:
        throw StartFailure(
          .callbackUnavailable,
          "cannot listen on \(family.rawValue) (\(family.address)) port \(port): \(error)")
      }
    }
  }
}
