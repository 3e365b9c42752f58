import EventLoop
import Glibc

/// The program around the node: it serves until a signal ends it.
package enum NodeProgram {
  /// - Parameter attestation: where its quotes come from.
  /// - Returns: the exit code: 0 after SIGTERM or SIGINT, 69 (EX_UNAVAILABLE) when the port cannot
  ///   be had, with a sentence on stderr.
  package static func run(
    _ options: NodeOptions, attestation: @escaping Attestation.Source = Attestation.mock
  ) -> CInt {
    Signals.block([.terminate, .interrupt])
    let end = End()
    EventLoop.runOnThisThread {
      do {
        try await serve(options, attestation)
      } catch {
        say("cannot listen on 127.0.0.1:\(options.port): \(error)")
        end.code = 69
      }
      EventLoop.stop()
    }
    return end.code
  }

  @LoopActor private static func serve(
    _ options: NodeOptions, _ attestation: @escaping Attestation.Source
  ) async throws(SystemError) {
    let node = try DevelopmentNode(options)
    node.attestation = attestation
    let (ends, end) = AsyncStream.makeStream(of: Signal.self)
    let signals = try Signals([.terminate, .interrupt]) { end.yield($0) }
    node.start()
    print(node.readyLine)
    // A program that waits for the line reads from a pipe, which stdio would buffer.
    fflush(nil)
    for await _ in ends { break }
    await node.stop()
    signals.stop()
  }

  /// One line on the standard error.
  package static func say(_ sentence: String) {
    let line = Array("mero-dev-node: \(sentence)\n".utf8)
    // There is nobody to tell when this fails.
    _ = write(STDERR_FILENO, line, line.count)
  }

  // Written on the loop's thread, which is this one, and read after the loop has ended.
  private final class End: @unchecked Sendable {
    var code: CInt = 0
  }
}
