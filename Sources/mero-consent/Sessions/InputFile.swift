import EventLoop

/// Files that hold no secret.
enum InputFile {
  /// - Parameter source: a path, or `-` for standard input.
  /// - Throws: `FILE_UNUSABLE`, also for more than `limit` bytes.
  static func read(_ source: String, limit: Int) throws(CommandFailure) -> [UInt8] {
    do throws(SystemError) {
      return source == SecretInput.standardInput
        ? try StandardStream.input.readToEnd(limit: limit)
        : try Files.read(source, limit: limit, allowsPipe: true)
    } catch {
      let name = source == SecretInput.standardInput ? "standard input" : source
      throw PrivateFile.unusable(name, error)
    }
  }
}
