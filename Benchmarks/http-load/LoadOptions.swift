import EventLoop

/// What the command line asks for.
struct LoadOptions {
  enum Fault: Error {
    case wrong(String)
  }

  /// Whom the load is for.
  var address = SocketAddress.unix(path: "")
  /// Connections that are kept busy, each with one request at a time.
  var connections = 1
  /// Time before anything is counted, and the time that counts.
  var warmUp: Duration = .zero
  var time: Duration = .seconds(3)
  /// Requests after which the load ends, whatever the time.
  var most = 4_000_000
  /// Whole requests as they go over the wire. Connection `n` sends number `n` modulo their count.
  var requests: [[UInt8]] = []
  /// The status that an answer must have to count.
  var status = 200
  /// Holds all requests open, and sends these when standard input says so.
  var triggers: [[UInt8]] = []

  static let known = [
    ProgramArguments.Known("unix", takesValue: true),
    ProgramArguments.Known("tcp", takesValue: true),
    ProgramArguments.Known("connections", takesValue: true),
    ProgramArguments.Known("warm-up", takesValue: true),
    ProgramArguments.Known("seconds", takesValue: true),
    ProgramArguments.Known("most", takesValue: true),
    ProgramArguments.Known("request", takesValue: true),
    ProgramArguments.Known("status", takesValue: true),
    ProgramArguments.Known("crowd", takesValue: true),
  ]

  static let help = """
    Usage: http-load (--unix PATH | --tcp PORT) --request FILE… [OPTION]…
    Sends the same requests over HTTP/1.1 again and again, and says in JSON how fast they were
    answered.

      --unix PATH         a Unix socket
      --tcp PORT          a port of 127.0.0.1
      --request FILE      a whole request, byte for byte; given several times, the connections
                          share them out. Twelve times "@" in it become a number of its own.
      --connections N     1 to 16384 (1)
      --seconds S         0.1 to 60 (3); this long is measured
      --warm-up S         0 to 60 (0); before that
      --most N            1 to 4000000 requests (4000000)
      --status N          what an answer must have to count (200)
      --crowd FILE        holds every request open until a line comes on standard input, sends
                          this one then, or all of these at once where it is given several
                          times, and measures until all are answered

    """

  init(_ options: [(name: String, value: String?)]) throws(Fault) {
    var isAddressed = false
    for case (let name, let value?) in options {
      switch name {
      case "unix":
        address = .unix(path: value)
        isAddressed = true
      case "tcp":
        address = .loopback4(port: UInt16(try Self.number(value, name, in: 1...65_535)))
        isAddressed = true
      case "connections": connections = try Self.number(value, name, in: 1...16_384)
      case "warm-up": warmUp = try Self.seconds(value, name, from: 0)
      case "seconds": time = try Self.seconds(value, name, from: 0.1)
      case "most": most = try Self.number(value, name, in: 1...4_000_000)
      case "status": status = try Self.number(value, name, in: 200...599)
      case "crowd": triggers.append(try Self.content(value))
      default: requests.append(try Self.content(value))
      }
    }
    guard isAddressed, !requests.isEmpty else { throw .wrong("--unix or --tcp, and --request") }
  }

  private static func number(
    _ text: String, _ name: String, in range: ClosedRange<Int>
  ) throws(Fault) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw .wrong("--\(name) has to be from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  private static func seconds(
    _ text: String, _ name: String, from least: Double
  ) throws(Fault) -> Duration {
    guard let seconds = Double(text), seconds >= least, seconds <= 60 else {
      throw .wrong("--\(name) has to be from \(least) to 60 seconds")
    }
    return .seconds(seconds)
  }

  /// The kernel takes what a request may have at most in one piece, so that no send is partial.
  private static let largestRequest = 32_768

  private static func content(_ path: String) throws(Fault) -> [UInt8] {
    let bytes: [UInt8]
    do {
      bytes = try Files.read(path, limit: largestRequest)
    } catch {
      throw .wrong("cannot read \(path): \(error)")
    }
    guard !bytes.isEmpty else { throw .wrong("\(path) is empty") }
    return bytes
  }
}
