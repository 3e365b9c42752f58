import CMalloc
import FoundationEssentials
import Glibc
import TDXQuote
import TestPKI

/// How much memory a refusal takes at its height, beyond what was there before.
enum MemoryCheck {
  /// Bytes: a refusal may take no more.
  static let limit = 1024 * 1024

  /// - Returns: whether every hostile input was refused within the limit.
  static func run() -> Bool {
    guard let anchor = TrustAnchor(der: TestPKI().evidence().rootDER) else { return false }
    let verifier = QuoteVerifier(trustingInsteadOfIntelInTestsOnly: anchor)
    var highest = (name: "", bytes: 0)
    var accepted: [String] = []
    let inputs = HostileEvidence.all()
    // What OpenSSL loads at first use is not the input's doing.
    _ = measure(verifier, inputs[0])
    for input in inputs {
      let (isRefused, bytes) = measure(verifier, input)
      if !isRefused { accepted.append(input.name) }
      if bytes > highest.bytes { highest = (input.name, bytes) }
    }
    for name in accepted { print("accepted: \(name)") }
    print(
      "\(inputs.count) hostile inputs; the highest took \(highest.bytes / 1024) KiB "
        + "(\(highest.name)), allowed \(limit / 1024)")
    return accepted.isEmpty && highest.bytes <= limit
  }

  private static func measure(
    _ verifier: QuoteVerifier, _ input: HostileEvidence
  ) -> (isRefused: Bool, bytes: Int) {
    // Free memory goes back, so that what is taken shows; then the height is reset to now.
    malloc_trim(0)
    resetPeak()
    let before = status("VmRSS:")
    let isRefused =
      (try? verifier.verify(
        quote: input.quote, collateral: input.collateral, now: TestPKI().now)) == nil
    return (isRefused, max(0, status("VmHWM:") - before))
  }

  /// proc(5): 5 resets the peak of the resident set.
  private static func resetPeak() {
    let file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
    precondition(file >= 0 && write(file, "5", 1) == 1, "cannot reset the peak")
    close(file)
  }

  /// A line of `/proc/self/status`, in bytes.
  private static func status(_ name: String) -> Int {
    guard let data = FileManager.default.contents(atPath: "/proc/self/status") else { return 0 }
    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
    let digits = lines.first { $0.hasPrefix(name) }?.filter(\.isNumber)
    return (digits.flatMap { Int($0) } ?? 0) * 1024
  }
}
