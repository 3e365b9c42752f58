import EventLoop
import Glibc

/// libFuzzer's own entry for programs that have a `main`.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ one: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// `fuzz SUBJECT [libFuzzer's options and folders]`; `fuzz --subjects` names them;
/// `fuzz --words SUBJECT` writes a dictionary for it, `fuzz --seeds SUBJECT FOLDER` its first inputs.
@main
struct Driver {
  nonisolated(unsafe) fileprivate static var subject: Subject?

  /// libFuzzer starts itself again when it merges, without the subject's name.
  private static let variable = "FUZZING_SUBJECT"

  static func main() {
    if let name = getenv(variable).map({ String(cString: $0) }) {
      subject = Subject.all.first { $0.name == name }
      run(namedFirst: false)
    }
    let arguments = CommandLine.arguments
    switch arguments.dropFirst().first {
    case "--subjects":
      for subject in Subject.all { print(subject.name, subject.longest) }
    case "--words":
      let subject = Subject.all.first { $0.name == arguments.last }
      for word in subject?.words ?? [] { print(dictionaryEntry(word)) }
    case "--seeds" where arguments.count == 4:
      let subject = Subject.all.first { $0.name == arguments[2] }
      for (index, seed) in (subject?.seeds ?? []).enumerated() {
        let path = "\(arguments[3])/seed-\(index)"
        do {
          try Files.open(path, .write, create: .ifMissing(mode: 0o644)).writeAll(seed)
        } catch {
          tell("\(path): \(error)")
          exit(74)
        }
      }
    case let name?:
      guard let found = Subject.all.first(where: { $0.name == name }) else { usage() }
      subject = found
      setenv(variable, name, 1)
      run(namedFirst: true)
    case nil: usage()
    }
  }

  /// - Parameter namedFirst: the first argument is the subject, and no option of libFuzzer's.
  private static func run(namedFirst: Bool) -> Never {
    let skipped = namedFirst ? 1 : 0
    var count = CommandLine.argc - CInt(skipped)
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? =
      CommandLine.unsafeArgv.advanced(by: skipped)
    arguments?[0] = CommandLine.unsafeArgv[0]
    exit(withUnsafeMutablePointer(to: &arguments) { runDriver(&count, $0, testOneInput) })
  }

  private static func usage() -> Never {
    tell("usage: fuzz SUBJECT [libFuzzer's options and folders] | --subjects | --words SUBJECT")
    exit(64)
  }

  fileprivate static func tell(_ text: String) {
    var line = text + "\n"
    line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  private static func dictionaryEntry(_ word: String) -> String {
    let digits = Array("0123456789abcdef")
    let escaped = word.utf8.map { "\\x\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }
    return "\"\(escaped.joined())\""
  }
}

/// The name under which libFuzzer's own `main` would look for it.
@_cdecl("LLVMFuzzerTestOneInput")
private func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: data, count: count))
  do throws(Finding) {
    try Driver.subject?.run(bytes)
  } catch {
    // libFuzzer keeps the input of a program that aborts.
    Driver.tell("FINDING: \(error)")
    abort()
  }
  return 0
}
