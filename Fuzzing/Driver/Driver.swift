import Glibc

/// libFuzzer's own entry for programs that have a `main`.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ one: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// `fuzz SUBJECT [libFuzzer's options and folders]`; `fuzz --subjects` names them;
/// `fuzz --words SUBJECT` writes a dictionary for it.
@main
struct Driver {
  nonisolated(unsafe) private static var subject: Subject?

  static func main() {
    let arguments = CommandLine.arguments
    switch arguments.dropFirst().first {
    case "--subjects":
      for subject in Subject.all { print(subject.name, subject.longest) }
    case "--words":
      let subject = Subject.all.first { $0.name == arguments.last }
      for word in subject?.words ?? [] { print(dictionaryEntry(word)) }
    case let name?:
      guard let found = Subject.all.first(where: { $0.name == name }) else { usage() }
      subject = found
      run()
    case nil: usage()
    }
  }

  private static func run() {
    // Without the subject's name, which is no option of libFuzzer's.
    var count = CommandLine.argc - 1
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? =
      CommandLine.unsafeArgv.advanced(by: 1)
    arguments?[0] = CommandLine.unsafeArgv[0]
    let code = withUnsafeMutablePointer(to: &arguments) { runDriver(&count, $0, one) }
    exit(code)
  }

  private static let one: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt = { data, count in
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    do throws(Finding) {
      try Driver.subject?.run(bytes)
    } catch {
      // libFuzzer keeps the input of a program that aborts.
      fputs("FINDING: \(error)\n", stderr)
      abort()
    }
    return 0
  }

  private static func usage() -> Never {
    fputs(
      "usage: fuzz SUBJECT [libFuzzer's options and folders] | --subjects | --words SUBJECT\n",
      stderr)
    exit(64)
  }

  private static func dictionaryEntry(_ word: String) -> String {
    let digits = Array("0123456789abcdef")
    let escaped = word.utf8.map { "\\x\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }
    return "\"\(escaped.joined())\""
  }
}
