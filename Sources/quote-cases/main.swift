// quote-cases FILE --data DIR: runs a file of quotes with expected verdicts. A development tool,
// never installed, and the only program in which the trust anchor can be replaced.
import FoundationEssentials
import Glibc

func fail(_ message: String) -> Never {
  let line = Array("quote-cases: \(message)\n".utf8)
  _ = write(STDERR_FILENO, line, line.count)
  exit(2)
}

let arguments = CommandLine.arguments
guard arguments.count == 4, arguments[2] == "--data", !arguments[1].hasPrefix("-") else {
  fail("usage: quote-cases FILE --data DIR")
}
guard let text = FileManager.default.contents(atPath: arguments[1]) else {
  fail("cannot read \(arguments[1])")
}
let file: CaseFile
do {
  file = try JSONDecoder().decode(CaseFile.self, from: text)
} catch {
  fail("\(arguments[1]) is no file of cases: \(error)")
}

var runner = CaseRunner(data: DataDirectory(path: arguments[3]))
let results =
  file.cases.map { runner.complaint($0) } + (file.convergence ?? []).map(CaseRunner.complaint)
let complaints = results.compactMap { $0 }
for complaint in complaints { print(complaint) }
print("\(results.count - complaints.count) passed, \(complaints.count) failed")
exit(complaints.isEmpty ? 0 : 1)
