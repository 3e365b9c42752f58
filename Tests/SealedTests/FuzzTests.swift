import Crypto
import Sealed
import Testing

/// Inputs that nobody thought of. What must hold of every one of them: no trap, and nothing that
/// was not sealed comes out.
@Suite struct FuzzTests {
  /// The same sequence for the same seed (splitmix64), so that a failure can be repeated.
  struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var mixed = state
      mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
      mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
      return mixed ^ mixed >> 31
    }
  }

  /// Takes out, doubles, overwrites or turns a few bytes.
  private func spoilt(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      guard let index = bytes.indices.randomElement(using: &generator) else { return [] }
      let end = Int.random(in: index...min(index + 8, bytes.count), using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: bytes.removeSubrange(index..<end)
      case 1: bytes.insert(contentsOf: bytes[index..<end], at: index)
      case 2: bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
      default: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      }
    }
    return bytes
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func noSpoiltStreamYieldsAnything(seed: UInt64) {
    var generator = SeededGenerator(state: seed)
    let key = Secret.random(count: 32)
    var sealer = AES256GCM.Sealer(key: key)
    var opener = AES256GCM.Opener(key: key)
    let header = RequestEnvelope.Header(sessionID: [UInt8](repeating: 1, count: 16), requestID: 1)
    var writer = FrameWriter(header: header)
    let stream =
      writer.head(SealedResponseHead(status: 200, fields: []), with: &sealer)
      + writer.body([1, 2, 3], with: &sealer) + writer.body([4], with: &sealer)
      + writer.end(with: &sealer)
    for _ in 0..<2000 {
      let input = spoilt(stream, &generator)
      guard input != stream else { continue }
      var reader = FrameReader(header: header, bodyLimit: 100)
      do {
        var rest = input[...]
        while !rest.isEmpty {
          let size = Int.random(in: 1...40, using: &generator)
          try reader.receive(Array(rest.prefix(size)), with: &opener)
          rest = rest.dropFirst(size)
        }
        _ = try reader.finish()
        Issue.record("seed \(seed): \(Hex.encode(input))")
      } catch {}
    }
  }

  @Test(arguments: [5, 6] as [UInt64])
  func aSpoiltInnerRequestIsRefusedOrWellFormed(seed: UInt64) {
    var generator = SeededGenerator(state: seed)
    let head = Array(
      #"{"method":"POST","path":"/a","headers":[["content-type","text/plain"],["x","é\n"]]}"#
        .utf8)
    let inner = [0, 0, 0, UInt8(head.count)] + head + [1, 2, 3]
    for _ in 0..<3000 {
      let input = spoilt(inner, &generator)
      do {
        let (head, body) = try RequestEnvelope.parse(input)
        #expect(body.count <= input.count)
        for field in head.fields {
          #expect(!field.name.isEmpty)
          #expect(!field.value.utf8.contains { $0 < 0x20 && $0 != 0x09 })
        }
      } catch {
        #expect(error == .malformed)
      }
    }
  }

  @Test(arguments: [7] as [UInt64]) func noSpoiltHandshakeIsTaken(seed: UInt64) throws {
    var generator = SeededGenerator(state: seed)
    let node = X25519.PrivateKey()
    let client = try ClientHandshake(key: node.publicKey).request
    for _ in 0..<500 {
      let input = spoilt(client, &generator)
      guard input != client else { continue }
      do {
        _ = try NodeHandshake(request: input, key: node)
          .accept(sessionID: [UInt8](repeating: 0, count: 16), lifetime: 1).reply
        Issue.record("\(Hex.encode(input))")
      } catch {
        #expect(
          [.malformed, .unsupportedVersion, .staleTransportKey, .undecryptable].contains(error))
      }
    }
  }
}
