import EventLoop
import Glibc

/// The certificates of the authorities that may vouch for a node.
///
/// libcurl's own path is that of the machine which built it. A store that the environment names
/// is the only one: there is no falling back from it to another.
package struct CAStore: Equatable, Sendable {
  /// A file of PEM certificates.
  package let file: String?
  /// A directory of hashed PEM certificates.
  package let directory: String?

  /// Where the distributions keep theirs: Debian and Arch, Fedora and its relatives (two
  /// places), openSUSE (two places), Alpine.
  package static let places = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/ca-bundle.pem",
    "/var/lib/ca-certificates/ca-bundle.pem",
    "/etc/ssl/cert.pem",
  ]

  /// - Returns: `nil` when there is none: then nothing can be verified, and nothing is trusted.
  package init?(
    environment: (String) -> String?, places: [String] = Self.places
  ) {
    let named = (file: environment("SSL_CERT_FILE"), directory: environment("SSL_CERT_DIR"))
    if named.file != nil || named.directory != nil {
      file = named.file.flatMap(Self.readable)
      directory = named.directory.flatMap(Self.readable)
    } else {
      file = places.lazy.compactMap(Self.readable).first
      directory = nil
    }
    if file == nil && directory == nil { return nil }
  }

  package static var ofThisMachine: CAStore? {
    CAStore { name in
      guard let value = getenv(name), value.pointee != 0 else { return nil }
      return String(cString: value)
    }
  }

  private static func readable(_ path: String) -> String? {
    Files.isReadable(path) ? path : nil
  }
}
