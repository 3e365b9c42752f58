// http-load: a load of HTTP/1.1 requests over TCP or a Unix socket, on one thread, straight on
// epoll. For development, never installed. `make bench` compares it with wrk.
import EventLoop
import FoundationEssentials
import Glibc

func complain(_ text: String) {
  let bytes = Array("http-load: \(text)\n".utf8)
  _ = write(STDERR_FILENO, bytes, bytes.count)
}

func run() -> Int32 {
  do {
    let arguments = try ProgramArguments(LoadOptions.known + [.init("help", takesValue: false)])
    if arguments.options.contains(where: { $0.name == "help" }) {
      print(LoadOptions.help, terminator: "")
      return 0
    }
    let options = try LoadOptions(arguments.options)
    OpenFilesLimit.raise()
    var load = try Load(options)
    let tally =
      options.triggers.isEmpty ? try load.run() : try load.runCrowd(options.triggers)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    print(String(decoding: try encoder.encode(tally.report), as: UTF8.self))
    return tally.answers > 0 ? 0 : 1
  } catch LoadOptions.Fault.wrong(let sentence) {
    complain(sentence)
    return 64
  } catch is ProgramArguments.Refused {
    return 64
  } catch {
    complain("\(error)")
    return 1
  }
}

exit(run())
