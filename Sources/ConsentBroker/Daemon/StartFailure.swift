/// Why the daemon cannot start. Started by hand it says so and exits; woken by a socket it
/// starts and answers it.
package struct StartFailure: Error, Equatable, Sendable {
  /// The word that a person searches for, and the exit code (sysexits.h).
  package enum Word: String, Sendable, CaseIterable {
    case alreadyRunning = "ALREADY_RUNNING"
    case callbackPortInUse = "CALLBACK_PORT_IN_USE"
    case callbackUnavailable = "CALLBACK_UNAVAILABLE"
    case configurationInvalid = "CONFIGURATION_INVALID"
    case noRuntimeDirectory = "NO_RUNTIME_DIR"
    case socketPathTooLong = "SOCKET_PATH_TOO_LONG"
    case socketPathNotASocket = "SOCKET_PATH_NOT_A_SOCKET"
    case socketUnavailable = "SOCKET_UNAVAILABLE"
    case stateFolderUnsuitable = "STATE_FOLDER_UNSUITABLE"
    case stateUnavailable = "STATE_UNAVAILABLE"
    case traced = "TRACED"

    package var exitCode: Int32 {
      switch self {
      case .callbackPortInUse, .callbackUnavailable, .socketUnavailable: 69
      case .stateUnavailable: 74
      // Not to be tried again by a service manager: the other one is doing the work.
      case .alreadyRunning: 75
      case .traced: 77
      case .configurationInvalid, .noRuntimeDirectory, .socketPathTooLong, .socketPathNotASocket,
        .stateFolderUnsuitable:
        78
      }
    }
  }

  package let word: Word
  /// For a person: what is wrong, with the path or the port, and what to do.
  package let sentence: String

  package init(_ word: Word, _ sentence: String) {
    self.word = word
    self.sentence = sentence
  }

  package static func == (left: Self, right: Self) -> Bool { left.word == right.word }
}

extension StartFailure: CustomStringConvertible {
  package var description: String { "\(word.rawValue): \(sentence)" }
}
