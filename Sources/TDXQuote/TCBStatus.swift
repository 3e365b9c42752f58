/// What Intel says about a platform's trusted computing base, after convergence.
package enum TCBStatus: String, CaseIterable, Sendable {
  case upToDate = "UpToDate"
  case swHardeningNeeded = "SWHardeningNeeded"
  case configurationNeeded = "ConfigurationNeeded"
  case configurationAndSWHardeningNeeded = "ConfigurationAndSWHardeningNeeded"
  case outOfDate = "OutOfDate"
  case outOfDateConfigurationNeeded = "OutOfDateConfigurationNeeded"
  /// The platform is up to date by now, but the node was started before: start it again.
  case tdRelaunchAdvised = "TDRelaunchAdvised"
  case tdRelaunchAdvisedConfigurationNeeded = "TDRelaunchAdvisedConfigurationNeeded"
}

/// The status of a level in the TCB info's `tcbLevels`.
package enum PlatformStatus: String, CaseIterable, Sendable {
  case upToDate = "UpToDate"
  case swHardeningNeeded = "SWHardeningNeeded"
  case configurationNeeded = "ConfigurationNeeded"
  case configurationAndSWHardeningNeeded = "ConfigurationAndSWHardeningNeeded"
  case outOfDate = "OutOfDate"
  case outOfDateConfigurationNeeded = "OutOfDateConfigurationNeeded"
  case revoked = "Revoked"
}

/// The status of a level of the TDX module or of the quoting enclave.
package enum ComponentStatus: String, CaseIterable, Sendable {
  case upToDate = "UpToDate"
  case outOfDate = "OutOfDate"
  case revoked = "Revoked"
}

extension TCBStatus {
  /// What comes of a platform's status and those of its components (specification, section 8).
  ///
  /// - Parameter module: `nil` for a TDX module of version 0, which has no levels of its own.
  /// - Returns: `nil` for Revoked, which no policy can allow.
  package static func converged(
    platform: PlatformStatus, module: ComponentStatus?, qe: ComponentStatus
  ) -> TCBStatus? {
    if module == .revoked || qe == .revoked { return nil }
    let componentIsOld = module == .outOfDate || qe == .outOfDate
    switch platform {
    case .revoked: return nil
    case .upToDate: return componentIsOld ? .outOfDate : .upToDate
    case .swHardeningNeeded: return componentIsOld ? .outOfDate : .swHardeningNeeded
    case .configurationNeeded:
      return componentIsOld ? .outOfDateConfigurationNeeded : .configurationNeeded
    case .configurationAndSWHardeningNeeded:
      return componentIsOld ? .outOfDateConfigurationNeeded : .configurationAndSWHardeningNeeded
    case .outOfDate: return .outOfDate
    case .outOfDateConfigurationNeeded: return .outOfDateConfigurationNeeded
    }
  }

  /// The status of a TD of report version 1.5 whose platform was `atLaunch` when it started and
  /// is `now` (section 8): starting an outdated TD again helps where the platform is no longer old.
  package static func relaunchAware(atLaunch: TCBStatus, now: TCBStatus) -> TCBStatus {
    guard atLaunch == .outOfDate || atLaunch == .outOfDateConfigurationNeeded else {
      return atLaunch
    }
    switch now {
    case .upToDate, .swHardeningNeeded:
      return atLaunch == .outOfDate ? .tdRelaunchAdvised : .tdRelaunchAdvisedConfigurationNeeded
    case .configurationNeeded, .configurationAndSWHardeningNeeded:
      return .tdRelaunchAdvisedConfigurationNeeded
    case .outOfDate, .outOfDateConfigurationNeeded, .tdRelaunchAdvised,
      .tdRelaunchAdvisedConfigurationNeeded:
      return atLaunch
    }
  }
}
