import CSystemd
import Glibc

/// A method's full name.
package struct BusMethod: Sendable {
  package let destination: String
  package let path: String
  package let interface: String
  package let member: String
  /// Whether the bus may start the service for this call, where it does not run.
  package var startsService = true

  package init(_ destination: String, _ path: String, _ interface: String, _ member: String) {
    self.destination = destination
    self.path = path
    self.interface = interface
    self.member = member
  }

  func message(on bus: OpaquePointer) throws(BusError) -> BusMessage {
    var message: OpaquePointer?
    try check(
      sd_bus_message_new_method_call(bus, &message, destination, path, interface, member),
      "sd_bus_message_new_method_call")
    guard let message else { throw BusError(call: "sd_bus_message_new_method_call", code: ENOMEM) }
    let owned = BusMessage(adopting: message)
    try check(sd_bus_message_set_auto_start(message, startsService ? 1 : 0), "set auto start")
    return owned
  }
}

package struct BusSignal: Sendable {
  package let sender: String
  package let path: String
  package let interface: String
  package let member: String

  package init(_ sender: String, _ path: String, _ interface: String, _ member: String) {
    self.sender = sender
    self.path = path
    self.interface = interface
    self.member = member
  }
}
