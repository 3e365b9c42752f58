import HTTP

/// What the command line says about a node.
package struct NodeOptions: Sendable, Equatable {
  /// 0 for one that the kernel chooses.
  package private(set) var port: UInt16 = 0
  /// Empty, or begins with a slash and does not end with one.
  package private(set) var prefix = ""
  package private(set) var package = "com.example.notes"
  package private(set) var settings = NodeState.Settings()

  /// An option by its long name.
  package enum Name: String, CaseIterable, Sendable {
    case port
    case callback
    case ttl
    case prefix
    case package
  }

  /// A value that cannot be, in words that complete the option's name.
  package struct Refused: Error, Equatable {
    package let reason: String
  }

  /// Seconds: a year is a typing error.
  package static let longestLifetime = 366 * 86_400

  package init() {}

  package mutating func set(_ name: Name, to value: String) throws(Refused) {
    switch name {
    case .port:
      guard let port = UInt16(value) else { throw Refused(reason: "is no port: 0 to 65535") }
      self.port = port
    case .callback:
      guard let callback = Callback(value) else {
        throw Refused(reason: "is neither http on loopback nor an app's own scheme")
      }
      settings.callback = callback
    case .ttl:
      guard let seconds = Double(value), seconds >= 0.001,
        seconds <= Double(Self.longestLifetime)
      else { throw Refused(reason: "is no number of seconds up to \(Self.longestLifetime)") }
      settings.requestLifetime = .milliseconds(Int64(seconds * 1000))
    case .prefix:
      guard value.isEmpty || Self.isPrefix(value) else {
        throw Refused(reason: "is no path like /node-7")
      }
      prefix = value
    case .package:
      guard !value.isEmpty, value.utf8.count <= 255, value.utf8.allSatisfy(Self.isNameByte) else {
        throw Refused(reason: "is no package name like com.example.notes")
      }
      package = value
    }
  }

  /// Segments of letters, digits and `-._~`, so that no layer has anything to decode.
  private static func isPrefix(_ value: String) -> Bool {
    guard value.hasPrefix("/"), !value.hasSuffix("/"), value.utf8.count <= 255 else { return false }
    return value.dropFirst().split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
      !$0.isEmpty && $0 != "." && $0 != ".." && $0.utf8.allSatisfy(isNameByte)
    }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    HTTPBytes.isAlphanumeric(byte) || "-._~".utf8.contains(byte)
  }
}
