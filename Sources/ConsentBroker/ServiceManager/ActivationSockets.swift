import CSystemd
package import EventLoop
import Glibc

/// What the service manager handed over at start (sd_listen_fds(3)).
///
/// The order of passed sockets is not fixed and their names may be missing, so each is known by
/// its own address: a Unix socket is the local API, loopback TCP the callback. Anything else with
/// a listening socket is a configuration that must not run.
package struct ActivationSockets: ~Copyable {
  package var api: OwnedDescriptor?
  package var callback4: OwnedDescriptor?
  package var callback6: OwnedDescriptor?
  /// Descriptors that a former process of this service put into the store, by their FDNAME.
  private var storedNames: [String] = []
  private var stored: [CInt] = []

  /// True when a service manager passed any socket: it owns their paths, so we never unlink them.
  package private(set) var any = false

  package private(set) var hasCallback = false

  package init() {}

  /// Takes over what was passed to this very process and removes the variables that say so, so
  /// that no child is misled by them. Call it first thing, while there is one thread.
  ///
  /// - Throws: `ActivationError` for a socket that is not the API's or the callback's to have.
  package static func take() throws(ActivationError) -> ActivationSockets {
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let count = sd_listen_fds_with_names(1, &names)
    defer {
      if let names {
        var index = 0
        while let name = names[index] {
          free(name)
          index += 1
        }
        free(names)
      }
    }
    var result = ActivationSockets()
    for offset in 0..<Int(max(count, 0)) {
      let name = names?[offset].map { String(cString: $0) } ?? "unknown"
      try result.sort(SD_LISTEN_FDS_START + CInt(offset), name: name)
    }
    return result
  }

  /// Removes and answers what came back from the store.
  mutating func takeStored() -> [SessionSecrets.Stored] {
    defer { (stored, storedNames) = ([], []) }
    return zip(storedNames, stored).map { name, number in
      SessionSecrets.Stored(name: name, descriptor: OwnedDescriptor(adopting: number))
    }
  }

  private mutating func sort(_ number: CInt, name: String) throws(ActivationError) {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let known = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(number, $0, &length)
      }
    }
    guard known == 0 else {
      storedNames.append(name)
      stored.append(number)
      return
    }
    any = true
    switch CInt(address.ss_family) {
    case AF_UNIX where api == nil:
      api = OwnedDescriptor(adopting: number)
    case AF_INET where callback4 == nil && isLoopback4(address):
      callback4 = OwnedDescriptor(adopting: number)
      hasCallback = true
    case AF_INET6 where callback6 == nil && isLoopback6(address):
      callback6 = OwnedDescriptor(adopting: number)
      hasCallback = true
    default:
      throw ActivationError(name: name)
    }
  }
}

/// A passed socket that is neither the API's nor the callback's: not loopback, or one too many.
package struct ActivationError: Error, Equatable, Sendable {
  /// The socket unit's FileDescriptorName=.
  package let name: String
}

private func isLoopback4(_ address: sockaddr_storage) -> Bool {
  withUnsafePointer(to: address) { pointer in
    pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
      UInt32(bigEndian: $0.pointee.sin_addr.s_addr) >> 24 == 127
    }
  }
}

private func isLoopback6(_ address: sockaddr_storage) -> Bool {
  withUnsafePointer(to: address) { pointer in
    pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
      withUnsafeBytes(of: $0.pointee.sin6_addr) { bytes in
        bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
      }
    }
  }
}
