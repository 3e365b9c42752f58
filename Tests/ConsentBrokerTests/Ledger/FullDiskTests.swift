import EventLoop
import Glibc
import Testing

@testable import ConsentBroker

/// A small file system of its own. Only root can mount one.
struct SmallDisk: ~Copyable {
  let path: String
  private let directory: TemporaryDirectory

  init(kilobytes: Int) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/disk"
    try Files.makeDirectory(path, mode: 0o700)
    _ = try systemCall("mount") {
      mount("tmpfs", path, "tmpfs", 0, "size=\(kilobytes)k,mode=0700")
    }
    self.path = path
    self.directory = directory
  }

  deinit { umount2(path, 2) }

  /// Takes every byte that is left.
  func fill() throws {
    let file = try Files.open(path + "/filler", .write, create: .ifMissing(mode: 0o600))
    let chunk = [UInt8](repeating: 1, count: 512)
    while (try? file.writeAll(chunk)) != nil {}
  }

  func free() throws { try Files.unlink(path + "/filler") }

  static let unavailable: Comment = "a full disk is made with a small tmpfs, which only root mounts"
  static var isAvailable: Bool { geteuid() == 0 && (try? SmallDisk(kilobytes: 64)) != nil }
}

@Suite(.enabled(if: SmallDisk.isAvailable, SmallDisk.unavailable)) struct FullDiskTests {
  @Test func aFullDiskAtStartIsSaidAndNothingIsSetAside() throws {
    let disk = try SmallDisk(kilobytes: 1024)
    try disk.fill()
    let failure = #expect(throws: StartFailure.self) {
      try LedgerFile(directory: disk.path).open()
    }
    #expect(failure?.word == .stateUnavailable)
    #expect(failure?.sentence.contains("full") == true)
    #expect(try names(in: disk.path).filter { $0.contains("corrupt") } == [])
    try disk.free()
    #expect(try LedgerFile(directory: disk.path).open().reset == nil)
  }

  @Test func aFullDiskRefusesWritesKeepsWhatIsThereAndRecovers() async throws {
    let disk = try SmallDisk(kilobytes: 1024)
    let ledger = try LedgerFile(directory: disk.path).open().ledger
    let row = try await ledger.started("rq-1")
    try disk.fill()
    var failure: LedgerError?
    // What the log has room for still fits.
    for number in 0..<2000 where failure == nil {
      do {
        _ = try await ledger.insert(Sample.starting("\(number)"))
      } catch {
        failure = error
      }
    }
    guard case .full(let text)? = failure else {
      Issue.record("no full disk: \(String(describing: failure))")
      return
    }
    #expect(text.contains("ENOSPC"))
    #expect(try await ledger.request("rq-1", of: "s_one") == row)
    try disk.free()
    let change = try await ledger.finish(
      row.number, RequestEnding(state: .approved, at: Sample.time))
    #expect(change?.row.state == .approved)
  }
}
