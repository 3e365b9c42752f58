import EventLoop
import Glibc

/// The main file and its drop-ins: `mero-consentd.conf.d/*.conf`, read after it in the order of
/// their names. A later file overrules a key of an earlier one; sections with names add up.
struct ConfigurationFiles {
  /// Files in the directory of drop-ins that are read.
  static let most = 256
  static let suffix = ".conf"

  private let main: String
  /// Whether the main file may be missing.
  private let isOptional: Bool

  /// - Parameter isOptional: only the file of the usual place may be missing.
  init(main: String, isOptional: Bool) {
    self.main = main
    self.isOptional = isOptional
  }

  /// The directory of the drop-ins of a main file.
  static func directory(of main: String) -> String { main + ".d" }

  /// - Returns: the configuration, and the faults, each as `FILE:LINE: …`; with any, nothing of it
  ///   is to be used.
  func read() -> (configuration: Configuration, faults: [String]) {
    var reading = ConfigurationReading()
    if !isOptional || (try? Files.status(of: main)) != nil {
      ConfigurationFile.read(main, into: &reading)
    }
    let directory = Self.directory(of: main)
    do throws(SystemError) {
      let names = try Self.names(in: directory)
      if !names.isEmpty, try !ConfigurationFile.isTrusted(directory, reading: &reading) {
        return (reading.configuration, reading.finish())
      }
      for name in names {
        ConfigurationFile.read("\(directory)/\(name)", into: &reading)
      }
    } catch {
      reading.cannotRead(directory, "\(error)")
    }
    let faults = reading.finish()
    return (reading.configuration, faults)
  }

  /// Sorted byte by byte, whatever the locale.
  private static func names(in directory: String) throws(SystemError) -> [String] {
    let all: [String]
    do throws(SystemError) {
      all = try Files.names(in: directory)
    } catch {
      guard error.code != ENOENT else { return [] }
      throw error
    }
    let names = all.filter { $0.hasSuffix(suffix) && !$0.hasPrefix(".") }
    guard names.count <= most else { throw SystemError(call: "readdir", code: E2BIG) }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
