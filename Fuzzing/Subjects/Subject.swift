/// An input for which a promise does not hold.
struct Finding: Error, CustomStringConvertible {
  let description: String
}

/// Something that reads what strangers send, and what must hold of it for every input.
///
/// A trap, a sanitizer's report, an input that takes too long or too much memory, and a broken
/// promise are findings alike.
struct Subject: Sendable {
  /// Also the name of its folder in `Corpus`.
  let name: String
  /// Bytes of the longest input that is tried: where it has said everything that it can say.
  let longest: Int
  /// Words of its language, which the fuzzer puts together.
  let words: [String]
  /// Inputs to begin with, where no run would come upon one by itself.
  var seeds: [[UInt8]] = []
  let run: @Sendable ([UInt8]) throws(Finding) -> Void

  static let all: [Subject] = [
    .httpRequest, .httpResponse, .serverSentEvents, .percentCoding, .returnURL,
    .sealedFrames, .sealedHandshake, .quote, .evidence, .intelDocuments, .der, .localJSON,
    .localCalls, .callbackCalls, .nodeAnswers, .nodeReplies, .configuration, .ledger, .dates,
  ]
}

/// - Parameter promise: what does not hold, for the report.
func require(_ holds: Bool, _ promise: @autoclosure () -> String) throws(Finding) {
  guard holds else { throw Finding(description: promise()) }
}

/// The same sequence for the same seed (splitmix64), so that a finding can be repeated.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// - Parameter input: the sequence is another for each.
  init(_ input: [UInt8]) {
    state = input.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }
}

/// The ways in which a network may deliver the same bytes.
enum Delivery {
  case whole, byByte, random
  /// In two, behind so many bytes.
  case cut(Int)

  /// The whole, single bytes, pieces at random, and a cut at every position: at all of a short
  /// input, at a few of a long one, which are others for each input.
  static func all(of bytes: [UInt8]) -> [Delivery] {
    [.whole, .byByte, .random] + cuts(of: bytes).map { .cut($0) }
  }

  private static let cutEverywhere = 64

  private static func cuts(of bytes: [UInt8]) -> [Int] {
    guard bytes.count > 1 else { return [] }
    guard bytes.count > cutEverywhere else { return Array(1..<bytes.count) }
    var generator = SeededGenerator(bytes)
    return (0..<8).map { _ in Int.random(in: 1..<bytes.count, using: &generator) }
  }

  func pieces(of bytes: [UInt8]) -> [[UInt8]] {
    switch self {
    case .whole: return [bytes]
    case .cut(let place): return [Array(bytes[..<place]), Array(bytes[place...])]
    case .byByte: return bytes.map { [$0] }
    case .random:
      var generator = SeededGenerator(bytes)
      var (pieces, start): ([[UInt8]], Int) = ([], 0)
      while start < bytes.count {
        let end = min(start + Int.random(in: 1...24, using: &generator), bytes.count)
        pieces.append(Array(bytes[start..<end]))
        start = end
      }
      return pieces
    }
  }
}

/// Damage that an input describes: places and what stands there afterwards.
struct Damage {
  /// Three bytes an edit: two for the place, taken modulo the size, and one for the new value.
  static func apply(_ edits: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    var rest = edits
    while rest.count >= 3 {
      let edit = Array(rest.prefix(3))
      let place = (Int(edit[0]) << 8 | Int(edit[1])) % bytes.count
      bytes[place] = edit[2]
      rest = rest.dropFirst(3)
    }
  }
}
