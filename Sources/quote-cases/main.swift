// quote-cases FILE --data DIR: runs a file of quotes with expected verdicts. A development tool,
// never installed, and the only program in which the trust anchor can be replaced.
import FoundationEssentials
import Glibc

func fail(_ message: String) -> Never {
  let line = Array("quote-cases: \(message)\n".utf8)
  _ = write(STDERR_FILENO, line, line.count)
  exit(2)
}

/// The file of cases and the directory of their data.
func readArguments() -> (file: String, data: String)? {
  var (file, data): (String?, String?)
  var rest = CommandLine.arguments.dropFirst()
  while let argument = rest.popFirst() {
    switch argument {
    case "--data" where data == nil: data = rest.popFirst()
    case _ where argument.hasPrefix("-") || file != nil: return nil
    default: file = argument
    }
  }
  guard let file, let data else { return nil }
  return (file, data)
}

guard let arguments = readArguments() else { fail("usage: quote-cases FILE --data DIR") }
guard let text = FileManager.default.contents(atPath: arguments.file) else {
  fail("cannot read \(arguments.file)")
}
let file: CaseFile
do {
  file = try JSONDecoder().decode(CaseFile.self, from: text)
} catch {
  fail("\(arguments.file) is no file of cases: \(error)")
}

var runner = CaseRunner(data: DataDirectory(path: arguments.data))
let results =
  file.cases.map { runner.complaint($0) } + (file.convergence ?? []).map(CaseRunner.complaint)
let complaints = results.compactMap { $0 }
for complaint in complaints { print(complaint) }
print("\(results.count - complaints.count) passed, \(complaints.count) failed")
exit(complaints.isEmpty ? 0 : 1)
