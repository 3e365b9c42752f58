import Callback
package import EventLoop

/// The callback's listeners: one port on 127.0.0.1 and ::1, or on the one family that there is.
@LoopActor package struct CallbackListeners {
  package let ipv4: Listener?
  package let ipv6: Listener?
  package let port: UInt16
  /// What a person should know: a family that this machine does not have.
  package let warning: String?

  /// Binds both families.
  ///
  /// - Parameter port: 0 takes one that is free on both.
  /// - Throws: `CALLBACK_PORT_IN_USE` with the port and the family, `CALLBACK_UNAVAILABLE`.
  package init(port: UInt16) throws(StartFailure) {
    do throws(LoopbackListeners.Failure) {
      let bound = try LoopbackListeners(port: port)
      self.init(ipv4: bound.ipv4, ipv6: bound.ipv6, port: bound.port)
    } catch {
      throw Self.failure(error)
    }
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
    self.init(ipv4: ipv4, ipv6: ipv6, port: port, isOurs: false)
  }

  private init(ipv4: Listener?, ipv6: Listener?, port: UInt16, isOurs: Bool = true) {
    (self.ipv4, self.ipv6, self.port) = (ipv4, ipv6, port)
    warning =
      switch (ipv4, ipv6) {
      case _ where !isOurs: nil
      case (nil, _): "there is no 127.0.0.1 here; the callback listens on [::1]:\(port) only"
      case (_, nil): "there is no ::1 here; the callback listens on 127.0.0.1:\(port) only"
      case (_, _): nil
      }
  }

  package var address: CallbackAddress {
    CallbackAddress(port: port, hasIPv4: ipv4 != nil, hasIPv6: ipv6 != nil)
  }

  /// The family that a service manager passed no socket for.
  package var missing: String? {
    ipv4 == nil ? "127.0.0.1" : ipv6 == nil ? "[::1]" : nil
  }

  package var all: [Listener] { [ipv4, ipv6].compactMap(\.self) }

  private static func failure(_ failure: LoopbackListeners.Failure) -> StartFailure {
    switch failure {
    case .portInUse(let port, let family):
      StartFailure(
        .callbackPortInUse,
        "port \(port) is in use by another program on \(family.rawValue) (\(family.address)); "
          + "stop that program, or choose another port with CallbackPort= or --callback-port")
    case .system(let port, let family, let error):
      StartFailure(
        .callbackUnavailable,
        "cannot listen on \(family.rawValue) (\(family.address)) port \(port): \(error)")
    case .noLoopback:
      StartFailure(
        .callbackUnavailable, "this machine has neither 127.0.0.1 nor ::1 to listen on")
    }
  }
}
