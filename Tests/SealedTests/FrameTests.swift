import Crypto
import Sealed
import Testing

/// The stream of an answer, between a writer and a reader that share a key.
@Suite struct FrameTests {
  static let header = RequestEnvelope.Header(
    sessionID: [UInt8](repeating: 0x55, count: 16), requestID: 7)
  static let head = SealedResponseHead(status: 200, fields: [SealedField("a", "b")])

  /// Both ends of one answer.
  struct Ends: ~Copyable {
    var sealer: AES256GCM.Sealer
    var opener: AES256GCM.Opener
    var writer = FrameWriter(header: FrameTests.header)

    init() {
      let key = Secret.random(count: 32)
      sealer = AES256GCM.Sealer(key: key)
      opener = AES256GCM.Opener(key: key)
    }

    mutating func stream(_ body: [UInt8]) -> [UInt8] {
      writer.head(FrameTests.head, with: &sealer) + writer.body(body, with: &sealer)
        + writer.end(with: &sealer)
    }

    /// What the reader makes of a stream that comes in pieces of that size.
    mutating func read(
      _ stream: [UInt8], pieces size: Int = 1000, limit: Int = 1 << 20
    ) -> Result<[UInt8], SealedFlaw> {
      var reader = FrameReader(header: FrameTests.header, bodyLimit: limit)
      do throws(SealedFlaw) {
        for start in stride(from: 0, to: stream.count, by: size) {
          try reader.receive(
            Array(stream[start..<min(start + size, stream.count)]), with: &opener)
        }
        let (head, body) = try reader.finish()
        return head == FrameTests.head ? .success(body) : .failure(.malformedHead)
      } catch {
        return .failure(error)
      }
    }
  }

  @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000])
  func readsWhatIsWritten(size: Int) {
    var ends = Ends()
    let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let stream = ends.stream(body)
    let frames = 2 + (size + 65_535) / 65_536
    #expect(stream.count == size + Self.head.json().count + frames * (4 + 1 + 16))
    let read = ends.read(stream)
    #expect(read == .success(body))
  }

  @Test(arguments: [1, 2, 3, 4, 5, 20, 21, 22, 1_000_000])
  func readsPiecesOfAnySize(size: Int) {
    var ends = Ends()
    let stream = ends.stream(Array("a body".utf8))
    let read = ends.read(stream, pieces: size)
    #expect(read == .success(Array("a body".utf8)))
  }

  @Test func yieldsNothingOfAStreamThatIsCutAnywhere() {
    var ends = Ends()
    let stream = ends.stream(Array("approved".utf8))
    for length in 0..<stream.count {
      let read = ends.read(Array(stream.prefix(length)))
      #expect(read == .failure(.cutShort))
    }
  }

  @Test func refusesEachChangedByteOfAStream() {
    var ends = Ends()
    let stream = ends.stream(Array("approved".utf8))
    for index in stream.indices {
      var changed = stream
      changed[index] ^= 1
      let read = ends.read(changed)
      guard case .failure = read else {
        Issue.record("byte \(index) may be changed")
        continue
      }
    }
  }

  @Test func refusesFramesOutOfPlace() {
    var ends = Ends()
    let (one, two) = ([UInt8](repeating: 1, count: 40), [UInt8](repeating: 2, count: 40))
    let head = ends.writer.head(Self.head, with: &ends.sealer)
    let first = ends.writer.body(one, with: &ends.sealer)
    let second = ends.writer.body(two, with: &ends.sealer)
    let end = ends.writer.end(with: &ends.sealer)
    for stream in [
      head + second + first + end, head + first + end, head + first + first + second + end,
      first + second + end, head + first + second + second,
    ] {
      let read = ends.read(stream)
      #expect(read == .failure(.frameNotAuthentic))
    }
    let read = ends.read(head + first + second + end)
    #expect(read == .success(one + two))
  }

  @Test func refusesAFrameOfAnotherRequest() {
    var ends = Ends()
    ends.writer = FrameWriter(
      header: RequestEnvelope.Header(sessionID: Self.header.sessionID, requestID: 8))
    let read = ends.read(ends.stream([]))
    #expect(read == .failure(.frameNotAuthentic))
  }

  @Test func refusesAFrameByItsLengthAlone() {
    var ends = Ends()
    for (length, flaw) in [
      ([0x00, 0x01, 0x00, 0x11], SealedFlaw.cutShort), ([0x00, 0x01, 0x00, 0x12], .frameTooLong),
      ([0xff, 0xff, 0xff, 0xff], .frameTooLong), ([0x80, 0x00, 0x00, 0x00], .frameTooLong),
      ([0, 0, 0, 17], .cutShort), ([0, 0, 0, 16], .frameTooShort), ([0, 0, 0, 0], .frameTooShort),
    ] as [([UInt8], SealedFlaw)] {
      let read = ends.read(length)
      #expect(read == .failure(flaw))
    }
  }

  @Test func takesABodyUpToTheLimit() {
    var ends = Ends()
    let stream = ends.stream([UInt8](repeating: 1, count: 1000))
    let (fits, over) = (ends.read(stream, limit: 1000), ends.read(stream, limit: 999))
    #expect(fits == .success([UInt8](repeating: 1, count: 1000)))
    #expect(over == .failure(.bodyTooLong))
  }

  @Test func takesEmptyFramesButNotWithoutEnd() {
    var ends = Ends()
    var stream = ends.writer.head(Self.head, with: &ends.sealer)
    for _ in 0..<10 { stream += ends.writer.frame(FrameKind.body, [], with: &ends.sealer) }
    let few = ends.read(stream + ends.writer.end(with: &ends.sealer), limit: 0)
    #expect(few == .success([]))
    var endless = Ends()
    stream = endless.writer.head(Self.head, with: &endless.sealer)
    for _ in 0..<7000 { stream += endless.writer.frame(FrameKind.body, [], with: &endless.sealer) }
    let many = endless.read(stream, limit: 0)
    #expect(many == .failure(.streamTooLong))
  }

  @Test(arguments: [
    "", "{}", "[]", "null", #"{"status":200}"#, #"{"headers":[]}"#,
    #"{"status":"200","headers":[]}"#, #"{"status":199,"headers":[]}"#,
    #"{"status":600,"headers":[]}"#, #"{"status":200.5,"headers":[]}"#,
    #"{"status":200,"headers":{}}"#, #"{"status":200,"headers":[["a"]]}"#,
    #"{"status":200,"headers":[["a","b","c"]]}"#, #"{"status":200,"headers":[["a",1]]}"#,
    #"{"status":200,"headers":[["a b","c"]]}"#, #"{"status":200,"headers":[["","c"]]}"#,
    #"{"status":200,"headers":[["a","b\r\nc"]]}"#, #"{"status":200,"headers":[["a","b\u0000"]]}"#,
    #"{"status":200,"headers":[]} x"#, #"{"status":200,"headers":[]"#,
  ])
  func refusesAHeadThatIsNone(json: String) {
    var ends = Ends()
    let stream =
      ends.writer.frame(FrameKind.head, Array(json.utf8), with: &ends.sealer)
      + ends.writer.end(with: &ends.sealer)
    let read = ends.read(stream)
    #expect(read == .failure(.malformedHead))
  }

  @Test func leavesHopFieldsOutOnBothSides() throws {
    let hops = ["connection", "Content-Length", "HOST", "transfer-encoding", "Upgrade"]
    var fields = hops.map { SealedField($0, "x") }
    fields.insert(SealedField("date", "kept"), at: 2)
    let written = SealedResponseHead(status: 200, fields: fields).json()
    #expect(
      String(decoding: written, as: UTF8.self) == #"{"status":200,"headers":[["date","kept"]]}"#)
    var ends = Ends()
    let sneaked = #"{"status":200,"headers":[["a","b"],["Host","evil"],["upgrade","h2c"]]}"#
    let stream =
      ends.writer.frame(FrameKind.head, Array(sneaked.utf8), with: &ends.sealer)
      + ends.writer.end(with: &ends.sealer)
    let read = ends.read(stream)
    #expect(read == .success([]), "the head is the one without them")
  }
}
