import CSystemd
import Glibc

/// A call of sd-bus, or an answer from the bus, that failed.
package struct BusError: Error, Equatable, Sendable {
  package let call: String
  /// An errno.
  package let code: CInt
  /// The D-Bus name, such as `org.freedesktop.DBus.Error.ServiceUnknown`, where it was answered.
  package var name: String?

  package init(call: String, code: CInt, name: String? = nil) {
    self.call = call
    self.code = code
    self.name = name
  }

  /// Whether nobody knows if the call was carried out: no answer came in time.
  package var isTimeout: Bool { code == ETIMEDOUT }
}

/// sd-bus reports errors as negative errno values.
func check(_ result: CInt, _ call: String) throws(BusError) {
  if result < 0 { throw BusError(call: call, code: -result) }
}
