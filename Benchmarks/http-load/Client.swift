import CLinux
import EventLoop
import Glibc

/// One connection of the load: one request, then its answer, then the next.
final class Client {
  private let address: SocketAddress
  private let epoll: CInt
  private let mark: UInt64
  private var request: [UInt8]
  /// Where the request has room for a number of its own.
  private let numbersAt: [Int]
  private var descriptor: OwnedDescriptor?
  private var reader = ResponseReader()
  /// When the request that waits for its answer was sent.
  private(set) var sentAt: Int64 = 0

  /// - Parameter mark: what comes with each of its events.
  init(_ request: [UInt8], to address: SocketAddress, epoll: CInt, mark: Int) {
    self.request = request
    self.address = address
    self.epoll = epoll
    self.mark = UInt64(mark)
    let room = Array(repeating: UInt8(ascii: "@"), count: Self.digits)
    numbersAt = request.indices.dropLast(Self.digits - 1).filter {
      request[$0..<($0 + Self.digits)].elementsEqual(room)
    }
  }

  private static let digits = 12

  /// Connects, where it is not connected, and sends the request.
  ///
  /// - Parameter number: what the request says where it has room for a number.
  func send(_ number: Int) throws(SystemError) {
    for start in numbersAt {
      var rest = number
      for index in (start..<(start + Self.digits)).reversed() {
        request[index] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      }
    }
    if descriptor == nil { try connect() }
    sentAt = Clock.now()
    let sent = request.withUnsafeBytes { bytes in
      descriptor?.withNumber { Glibc.send($0, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL)) }
    }
    guard let sent, sent == request.count else { throw SystemError(call: "send", code: errno) }
  }

  private func connect() throws(SystemError) {
    let descriptor = try OwnedDescriptor.connected(to: address)
    var event = clinux_epoll_event(EPOLLIN.rawValue, mark)
    _ = try descriptor.withNumber { number throws(SystemError) in
      try systemCall("epoll_ctl") { epoll_ctl(epoll, EPOLL_CTL_ADD, number, &event) }
    }
    self.descriptor = consume descriptor
  }

  /// Takes what has come. A connection that the server will close is closed.
  ///
  /// - Returns: the status of a complete answer; `nil` when more has to come.
  func receive(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int? {
    let received = descriptor?.withNumber {
      recv($0, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
    }
    guard let received, received >= 0 else {
      if errno == EAGAIN { return nil }
      throw SystemError(call: "recv", code: errno)
    }
    guard received > 0 else { throw SystemError(call: "recv", code: ECONNRESET) }
    switch reader.take(UnsafeRawBufferPointer(rebasing: buffer[..<received])) {
    case .partial: return nil
    case .fault: throw SystemError(call: "recv", code: EPROTO)
    case .complete(let status, let closes):
      if closes { descriptor = nil }
      return status
    }
  }

  /// Gives a broken connection up; the next `send` makes a new one.
  func close() {
    descriptor = nil
    reader = ResponseReader()
  }
}

extension OwnedDescriptor {
  /// A connected socket that blocks: a full backlog is waited for.
  fileprivate static func connected(to address: SocketAddress) throws(SystemError) -> Self {
    let family = if case .unix = address { AF_UNIX } else { AF_INET }
    let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    let descriptor = OwnedDescriptor(adopting: try systemCall("socket") { socket(family, type, 0) })
    let number = descriptor.withNumber { $0 }
    if family == AF_INET {
      var one: CInt = 1
      let size = socklen_t(MemoryLayout<CInt>.size)
      _ = try systemCall("setsockopt") {
        setsockopt(number, CInt(IPPROTO_TCP), TCP_NODELAY, &one, size)
      }
    }
    try address.withKernelForm { form, length throws(SystemError) in
      _ = try systemCall("connect") { Glibc.connect(number, form, length) }
    }
    return descriptor
  }
}

/// CLOCK_MONOTONIC in nanoseconds.
enum Clock {
  static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  static func after(_ time: Duration) -> Int64 { now() + Int64(time / .nanoseconds(1)) }
}
