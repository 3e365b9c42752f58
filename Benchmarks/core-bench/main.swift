// core-bench: what sealing, handshakes and durable commits take by themselves, one JSON line each.
// For development, never installed. `make bench` sets the figures against OpenSSL's and a ledger's.
//
//   core-bench seal SECONDS              bytes sealed in 64 KiB frames a second
//   core-bench handshake SECONDS         handshakes a second, the client's side alone
//   core-bench commits SECONDS FOLDER    SQLite commits a second, one row each, on the disk
import Crypto
import Glibc
import Sealed

/// The processor time of this thread in seconds: others may use the machine meanwhile.
func threadTime() -> Double { time(CLOCK_THREAD_CPUTIME_ID) }

func wallTime() -> Double { time(CLOCK_MONOTONIC) }

func time(_ clock: clockid_t) -> Double {
  var time = timespec()
  clock_gettime(clock, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// A frame's data is 64 KiB less its kind, as the transport has it.
func sealedBytesPerSecond(for seconds: Double) -> Double {
  let key = Secret(copying: SecureRandom.bytes(count: 32))
  var sealer = AES256GCM.Sealer(key: key)
  let data = [UInt8](repeating: 7, count: 65_535)
  let header = RequestEnvelope.Header(sessionID: SecureRandom.bytes(count: 16), requestID: 1)
  var writer = FrameWriter(header: header)
  var sealed = 0
  let start = threadTime()
  while threadTime() - start < seconds {
    for _ in 0..<16 { sealed += writer.frame(FrameKind.body, data, with: &sealer).count }
  }
  return Double(sealed) / (threadTime() - start)
}

func handshakesPerSecond(for seconds: Double) throws -> Double {
  let node = X25519.PrivateKey()
  let sessionID = SecureRandom.bytes(count: 16)
  var used = 0.0
  var count = 0
  while used < seconds {
    let start = threadTime()
    let client = try ClientHandshake(key: node.publicKey)
    let sent = threadTime()
    let accepted = try NodeHandshake(request: client.request, key: node)
      .accept(sessionID: sessionID, lifetime: 3600)
    let received = threadTime()
    let grant = try client.finish(reply: accepted.reply)
    used += sent - start + threadTime() - received
    guard grant.lifetime == 3600 else { return 0 }
    count += 1
  }
  return Double(count) / used
}

func run(_ arguments: [String]) throws -> Double? {
  guard arguments.count >= 2, let seconds = Double(arguments[1]) else { return nil }
  return switch (arguments[0], arguments.count) {
  case ("seal", 2): sealedBytesPerSecond(for: seconds)
  case ("handshake", 2): try handshakesPerSecond(for: seconds)
  case ("commits", 3): DurableCommits(in: arguments[2])?.perSecond(for: seconds)
  default: nil
  }
}

guard let result = try run(Array(CommandLine.arguments.dropFirst())) else { exit(64) }
print("{\"perSecond\": \(result)}")
