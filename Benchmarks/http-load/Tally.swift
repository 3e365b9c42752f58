/// What a load has counted.
struct Tally {
  /// Answers that had the status that was asked for.
  private(set) var answers = 0
  /// Answers that had another status, and connections that broke.
  private(set) var otherAnswers = 0
  private(set) var broken = 0
  /// How long it was measured.
  var nanoseconds: Int64 = 0
  /// Of each answer, in nanoseconds.
  private var times: [UInt32] = []

  init(capacity: Int = 0) { times.reserveCapacity(capacity) }

  var faults: Int { otherAnswers + broken }

  mutating func countBroken() { broken += 1 }

  mutating func count(_ isGood: Bool, after time: Int64) {
    guard isGood else {
      otherAnswers += 1
      return
    }
    answers += 1
    times.append(UInt32(clamping: time))
  }

  /// The figures that are printed; times are microseconds.
  struct Report: Encodable {
    let answers: Int
    let otherAnswers: Int
    let broken: Int
    let seconds: Double
    let perSecond: Double
    let p50: Double
    let p90: Double
    let p99: Double
    let p999: Double
    let longest: Double
  }

  var report: Report {
    let sorted = times.sorted()
    func microseconds(_ share: Double) -> Double {
      guard !sorted.isEmpty else { return 0 }
      let index = Int((Double(sorted.count) * share).rounded(.up)) - 1
      return Double(sorted[min(max(index, 0), sorted.count - 1)]) / 1000
    }
    let seconds = Double(nanoseconds) / 1e9
    return Report(
      answers: answers, otherAnswers: otherAnswers, broken: broken, seconds: seconds,
      perSecond: seconds > 0 ? Double(answers) / seconds : 0, p50: microseconds(0.5),
      p90: microseconds(0.9), p99: microseconds(0.99), p999: microseconds(0.999),
      longest: microseconds(1))
  }
}
