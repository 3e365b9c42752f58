import Crypto

@testable import Sealed

extension Subject {
  /// An answer as a node with the key may send it, however it is cut: the input says which frames
  /// there are and what is in them. And an answer that somebody without the key has touched.
  static let sealedFrames = Subject(
    name: "sealed-frames", longest: 512,
    words: [
      #"{"status":200,"headers":[["content-type","application/json"]]}"#, #"{"status":200,"#,
      #""headers":[]}"#, "\u{0}", "\u{1}", "\u{2}",
    ],
    seeds: frameSeeds
  ) { bytes throws(Finding) in
    // What was never sealed never comes out.
    try require(OpenedStream(bytes, .whole).answer == nil, "an answer that was not sealed")

    let frames = plannedFrames(bytes)
    let stream = sealed(frames)
    let whole = OpenedStream(stream, .whole)
    for delivery in Delivery.all(of: stream) {
      let again = OpenedStream(stream, delivery)
      try require(again == whole, "\(delivery): \(again) and not \(whole)")
    }
    try require((whole.answer != nil) == isSound(frames), "taken or not: \(frames)")
    if let answer = whole.answer {
      try require(
        answer.body == frames.filter { $0.kind == FrameKind.body }.flatMap(\.data), "another body")
    }
    var touched = stream
    Damage.apply(bytes[...], to: &touched)
    if touched != stream {
      try require(OpenedStream(touched, .random).answer == nil, "a touched answer was taken")
    }
    try checkEnvelope(bytes)
  }

  private static let bodyLimit = 64

  private struct Frame {
    let kind: UInt8
    let data: [UInt8]
  }

  /// A byte for the kind, one for the length, then the data.
  private static func plannedFrames(_ bytes: [UInt8]) -> [Frame] {
    var (rest, frames): (ArraySlice<UInt8>, [Frame]) = (bytes[...], [])
    while let kind = rest.popFirst(), let count = rest.popFirst(), frames.count < 8 {
      frames.append(Frame(kind: kind & 3, data: Array(rest.prefix(Int(count)))))
      rest = rest.dropFirst(Int(count))
    }
    return frames
  }

  private static func sealed(_ frames: [Frame]) -> [UInt8] {
    let key = Secret(copying: [UInt8](repeating: 7, count: AES256GCM.keySize))
    var sealer = AES256GCM.Sealer(key: key)
    var writer = FrameWriter(header: OpenedStream.header)
    return frames.flatMap { writer.frame($0.kind, $0.data, with: &sealer) }
  }

  /// What an answer has to be, said once more and without a stream.
  private static func isSound(_ frames: [Frame]) -> Bool {
    guard frames.count >= 2, let first = frames.first, let last = frames.last,
      first.kind == FrameKind.head, SealedResponseHead(json: first.data[...]) != nil,
      last.kind == FrameKind.end, last.data.isEmpty
    else { return false }
    let between = frames.dropFirst().dropLast()
    return between.allSatisfy { $0.kind == FrameKind.body }
      && between.reduce(0) { $0 + $1.data.count } <= bodyLimit
  }

  /// The inside of a request, as the node reads it: what was taken is written and read again.
  private static func checkEnvelope(_ inner: [UInt8]) throws(Finding) {
    guard let (head, body) = try? RequestEnvelope.parse(inner) else { return }
    try require(head.fields.allSatisfy { $0.isWellFormed && !$0.isHop }, "a field that is none")
    let json = head.json()
    let again = try? RequestEnvelope.parse(UInt32(json.count).bigEndianBytes + json + body)
    try require(
      again?.head == head && again?.body == body, "the request is another when it is read again")
  }

  /// Handshakes of both sides: nothing but the untouched message is taken.
  static let sealedHandshake = Subject(name: "sealed-handshake", longest: 128, words: []) {
    bytes throws(Finding) in
    do {
      let node = X25519.PrivateKey()
      let hello = try ClientHandshake(key: node.publicKey)
      let request = changed(hello.request, bytes)
      let isSame = request == hello.request
      guard let accepted = accept(request, key: node) else {
        try require(!isSame, "the true request was refused")
        return
      }
      try require(isSame, "a touched request was taken")
      let reply = changed(accepted, bytes.dropFirst(82))
      let granted: Bool
      do {
        _ = try hello.finish(reply: reply)
        granted = true
      } catch {
        granted = false
      }
      try require(granted == (reply == accepted), "a touched reply was taken, or the true one not")
    } catch let error as Finding {
      throw error
    } catch {
      throw Finding(description: "the client has no first message: \(error)")
    }
  }

  /// The first byte says how many are cut off or added, the others what is turned.
  private static func changed(_ message: [UInt8], _ input: some Collection<UInt8>) -> [UInt8] {
    var message = message
    for (index, mask) in input.dropFirst().prefix(message.count).enumerated() {
      message[index] ^= mask
    }
    switch input.first ?? 0 {
    case 1..<100: message.removeLast(min(Int(input.first ?? 0), message.count))
    case 200...255: message += [UInt8](repeating: 0, count: Int(input.first ?? 0) - 199)
    default: break
    }
    return message
  }

  private static func accept(
    _ request: [UInt8], key: borrowing X25519.PrivateKey
  ) -> [UInt8]? {
    do {
      return try NodeHandshake(request: request, key: key)
        .accept(sessionID: [UInt8](repeating: 1, count: 16), lifetime: 60).reply
    } catch {
      return nil
    }
  }
}

private struct OpenedStream: Equatable {
  static let header = RequestEnvelope.Header(
    sessionID: [UInt8](repeating: 9, count: SealedProtocol.sessionIDSize), requestID: 3)

  struct Answer: Equatable {
    let head: SealedResponseHead
    let body: [UInt8]
  }

  var answer: Answer?
  var flaw: SealedFlaw?

  init(_ stream: [UInt8], _ delivery: Delivery) {
    let key = Secret(copying: [UInt8](repeating: 7, count: AES256GCM.keySize))
    var opener = AES256GCM.Opener(key: key)
    var reader = FrameReader(header: Self.header, bodyLimit: 64)
    do throws(SealedFlaw) {
      for piece in delivery.pieces(of: stream) { try reader.receive(piece, with: &opener) }
      let (head, body) = try reader.finish()
      answer = Answer(head: head, body: body)
    } catch {
      flaw = error
    }
  }
}

/// Whole answers as plans of frames (a byte for the kind, one for the length), and a request's
/// inside.
private let frameSeeds: [[UInt8]] = {
  func frame(_ kind: UInt8, _ text: String) -> [UInt8] {
    [kind, UInt8(text.utf8.count)] + Array(text.utf8)
  }
  let end: [UInt8] = [FrameKind.end, 0]
  let head = frame(
    FrameKind.head, #"{"status":200,"headers":[["content-type","application/json"]]}"#)
  let request = Array(
    #"{"method":"POST","path":"/consent/requests","headers":[["authorization","Bearer t"]]}"#.utf8)
  return [
    head + end, head + frame(FrameKind.body, "{\"a\":") + frame(FrameKind.body, "1}") + end,
    frame(FrameKind.head, #"{"status":204,"headers":[]}"#) + end,
    UInt32(request.count).bigEndianBytes + request + Array("{}".utf8),
  ]
}()
