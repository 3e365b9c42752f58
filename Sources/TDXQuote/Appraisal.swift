/// How current a platform is, by Intel's lists (specification, sections 6 to 8).
struct Appraisal {
  let status: TCBStatus
  /// Of the chosen platform, module and enclave levels, each once.
  let advisoryIDs: [String]

  /// Steps 16 and 17.
  init(
    report: TDReport, platform: PCKExtension, tcbInfo: TCBInfo, qeLevel: ComponentLevel
  ) throws(QuoteFailure) {
    let svn = report.teeTCBSVN
    let identity = tcbInfo.moduleIdentity(version: svn[1])
    if svn[1] > 0, identity == nil { throw .tdxModuleMismatch }
    let module = identity?.module ?? tcbInfo.module
    let noAttributes = [UInt8](repeating: 0, count: 8)
    guard report.mrSignerSEAM == module.mrSigner, report.seamAttributes == noAttributes,
      module.attributes == noAttributes
    else { throw .tdxModuleMismatch }

    let launch = try Levels(svn: svn, platform: platform, tcbInfo: tcbInfo)
    guard let atLaunch = launch.converged(with: qeLevel) else { throw .tcbRevoked }
    advisoryIDs = launch.advisoryIDs(with: qeLevel)
    guard let currentSVN = report.teeTCBSVN2 else {
      status = atLaunch
      return
    }
    // The module may have been updated under the running TD.
    let current = try Levels(svn: currentSVN, platform: platform, tcbInfo: tcbInfo)
    guard let now = current.converged(with: qeLevel) else { throw .tcbRevoked }
    status = .relaunchAware(atLaunch: atLaunch, now: now)
  }
}

/// The levels that one TEE_TCB_SVN reaches.
private struct Levels {
  let platform: TCBInfo.PlatformLevel
  /// `nil` for a module of version 0.
  let module: ComponentLevel?

  /// - Parameter svn: 16 bytes: the module's SVN, its version, and more.
  /// - Throws: `tcb-level-unsupported`.
  init(svn: [UInt8], platform: PCKExtension, tcbInfo: TCBInfo) throws(QuoteFailure) {
    // From version 1 on the first two are the module's own, and its own levels judge them.
    let firstIndex = svn[1] == 0 ? 0 : 2
    guard
      let level = tcbInfo.levels.first(where: { level in
        Self.reaches(platform.components[...], level.sgxSVN[...])
          && platform.pceSVN >= level.pceSVN
          && Self.reaches(svn[firstIndex...], level.tdxSVN[firstIndex...])
      })
    else { throw .tcbLevelUnsupported }
    self.platform = level
    if svn[1] == 0 {
      module = nil
      return
    }
    guard let identity = tcbInfo.moduleIdentity(version: svn[1]),
      let moduleLevel = identity.levels.first(where: { Int(svn[0]) >= $0.isvSVN })
    else { throw .tcbLevelUnsupported }
    module = moduleLevel
  }

  func converged(with qe: ComponentLevel) -> TCBStatus? {
    .converged(platform: platform.status, module: module?.status, qe: qe.status)
  }

  func advisoryIDs(with qe: ComponentLevel) -> [String] {
    var known: Set<String> = []
    return (platform.advisoryIDs + (module?.advisoryIDs ?? []) + qe.advisoryIDs)
      .filter { known.insert($0).inserted }
  }

  private static func reaches(_ svns: ArraySlice<UInt8>, _ needed: ArraySlice<UInt8>) -> Bool {
    zip(svns, needed).allSatisfy { $0 >= $1 }
  }
}

extension TCBInfo {
  /// The identity of the TDX module of this version; version 0 has none.
  func moduleIdentity(version: UInt8) -> ModuleIdentity? {
    guard version > 0 else { return nil }
    let digits = String(version, radix: 16)
    let id = "tdx_" + (digits.count == 1 ? "0" : "") + digits
    return moduleIdentities.first { $0.id.lowercased() == id }
  }
}
