import EventLoop
import Glibc

extension Terminal {
  /// This process's own.
  ///
  /// - Parameter gaps: the streams that it was started without.
  static func ofProcess(wantsJSON: Bool, gaps: Set<StandardStream>) -> Terminal {
    Terminal(
      wantsJSON: wantsJSON, .ofProcess(),
      output: { (bytes) throws(SystemError) in
        guard !gaps.contains(.output) else { throw SystemError(call: "write", code: EBADF) }
        try StandardStream.output.write(bytes)
      },
      error: { (bytes) throws(SystemError) in try StandardStream.error.write(bytes) })
  }
}

extension Terminal.Surroundings {
  /// <https://no-color.org>: "when present and not an empty string (regardless of its value),
  /// prevents the addition of ANSI color".
  static func ofProcess() -> Self {
    let (output, error) = (StandardStream.output, StandardStream.error)
    let isDumb = ["", "dumb"].contains(variable("TERM"))
    let wantsColour = variable("NO_COLOR").isEmpty && !isDumb
    let columns = output.columns ?? error.columns ?? Int(variable("COLUMNS")) ?? 80
    return Self(
      isInteractive: StandardStream.input.isTerminal && error.isTerminal,
      hasLiveLine: error.isTerminal && !isDumb,
      outputStyle: Style(isOn: output.isTerminal && wantsColour),
      errorStyle: Style(isOn: error.isTerminal && wantsColour),
      columns: min(max(columns, 20), 200))
  }

  private static func variable(_ name: String) -> String {
    getenv(name).map { String(cString: $0) } ?? ""
  }
}
