import TestPKI
import Testing

@testable import TDXQuote

/// Levels, convergence and relaunch (specification, sections 6 and 8).
@Suite struct StatusTests {
  private static func svn(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: 16 - bytes.count)
  }

  @Test(
    arguments: [
      ([6, 1, 9], .upToDate, []), ([255, 1, 255], .upToDate, []),
      ([6, 1, 8], .swHardeningNeeded, ["SA-8"]), ([6, 1, 7], .configurationNeeded, ["SA-7"]),
      ([6, 1, 6], .outOfDate, ["SA-5"]), ([6, 1, 5], .outOfDate, ["SA-5"]),
      ([5, 1, 9], .outOfDate, ["SA-MODULE-3"]), ([3, 1, 9], .outOfDate, ["SA-MODULE-3"]),
      ([3, 1, 8], .outOfDate, ["SA-8", "SA-MODULE-3"]),
      ([3, 1, 7], .outOfDateConfigurationNeeded, ["SA-7", "SA-MODULE-3"]),
      ([0, 0, 9], .upToDate, []), ([0, 0, 7], .configurationNeeded, ["SA-7"]),
    ] as [([UInt8], TCBStatus, [String])])
  func theTEEsSVNChoosesTheLevel(
    svn: [UInt8], status: TCBStatus, advisories: [String]
  ) throws {
    var pki = TestPKI()
    pki.quote.teeTCBSVN = Self.svn(svn)
    let quote = try verify(pki)
    #expect(quote.status == status)
    #expect(quote.advisoryIDs.sorted() == advisories)
  }

  @Test func theFirstLevelInTheDocumentsOrderCounts() throws {
    var pki = TestPKI()
    pki.tcbInfo.levels = [
      .init(tdx: [0, 0, 10], status: "UpToDate"), .init(tdx: [0], status: "SWHardeningNeeded"),
      .init(tdx: [0, 0, 9], status: "UpToDate"),
    ]
    #expect(try verify(pki).status == .swHardeningNeeded)
  }

  @Test func higherComponentsReachALevelToo() throws {
    var pki = TestPKI()
    pki.pckExtension?.components = [Int](repeating: 255, count: 16)
    pki.pckExtension?.pceSVN = 65_535
    #expect(try verify(pki).status == .upToDate)
  }

  @Test func anOldEnclaveMakesThePlatformOld() throws {
    var pki = TestPKI()
    pki.quote.qeSVN = 7
    let quote = try verify(pki)
    #expect(quote.status == .outOfDate)
    #expect(quote.advisoryIDs == ["SA-QE-6"])
  }

  @Test func anAdvisoryOfTwoLevelsIsToldOnce() throws {
    var pki = TestPKI()
    pki.quote.qeSVN = 6
    pki.quote.teeTCBSVN = Self.svn([3, 1, 8])
    pki.qeIdentity.levels[1].advisoryIDs = ["SA-8", "SA-QE-6", "SA-8"]
    #expect(try verify(pki).advisoryIDs == ["SA-8", "SA-MODULE-3", "SA-QE-6"])
  }

  /// Platform, alone, and with a component that is out of date.
  static let converged: [(PlatformStatus, TCBStatus?, TCBStatus?)] = [
    (.upToDate, .upToDate, .outOfDate), (.swHardeningNeeded, .swHardeningNeeded, .outOfDate),
    (.configurationNeeded, .configurationNeeded, .outOfDateConfigurationNeeded),
    (
      .configurationAndSWHardeningNeeded, .configurationAndSWHardeningNeeded,
      .outOfDateConfigurationNeeded
    ), (.outOfDate, .outOfDate, .outOfDate),
    (
      .outOfDateConfigurationNeeded, .outOfDateConfigurationNeeded, .outOfDateConfigurationNeeded
    ), (.revoked, nil, nil),
  ]

  @Test(arguments: converged)
  func statusesConverge(platform: PlatformStatus, alone: TCBStatus?, withOld: TCBStatus?) {
    for module in [nil] + ComponentStatus.allCases {
      for qe in ComponentStatus.allCases {
        let components = [module, qe]
        let expected =
          components.contains(.revoked) ? nil : components.contains(.outOfDate) ? withOld : alone
        #expect(TCBStatus.converged(platform: platform, module: module, qe: qe) == expected)
      }
    }
  }

  @Test(
    arguments: [
      (.outOfDate, .upToDate, .tdRelaunchAdvised),
      (.outOfDate, .swHardeningNeeded, .tdRelaunchAdvised),
      (.outOfDate, .configurationNeeded, .tdRelaunchAdvisedConfigurationNeeded),
      (.outOfDate, .configurationAndSWHardeningNeeded, .tdRelaunchAdvisedConfigurationNeeded),
      (.outOfDate, .outOfDate, .outOfDate), (.outOfDate, .outOfDateConfigurationNeeded, .outOfDate),
      (.outOfDateConfigurationNeeded, .upToDate, .tdRelaunchAdvisedConfigurationNeeded),
      (.outOfDateConfigurationNeeded, .configurationNeeded, .tdRelaunchAdvisedConfigurationNeeded),
      (.outOfDateConfigurationNeeded, .outOfDate, .outOfDateConfigurationNeeded),
      (.upToDate, .outOfDate, .upToDate), (.swHardeningNeeded, .upToDate, .swHardeningNeeded),
      (.configurationNeeded, .upToDate, .configurationNeeded),
    ] as [(TCBStatus, TCBStatus, TCBStatus)])
  func relaunchIsAdvisedWhereItHelps(launch: TCBStatus, now: TCBStatus, result: TCBStatus) {
    #expect(TCBStatus.relaunchAware(atLaunch: launch, now: now) == result)
  }

  @Test(
    arguments: [
      ([6, 1, 5], [6, 1, 8], .tdRelaunchAdvised, ["SA-5"]),
      ([3, 1, 7], [6, 1, 9], .tdRelaunchAdvisedConfigurationNeeded, ["SA-7", "SA-MODULE-3"]),
      ([3, 1, 9], [6, 1, 5], .outOfDate, ["SA-MODULE-3"]), ([6, 1, 9], [3, 1, 9], .upToDate, []),
      ([5, 0, 9], [6, 1, 9], .upToDate, []),
      ([3, 1, 9], [0, 0, 9], .tdRelaunchAdvised, ["SA-MODULE-3"]),
    ] as [([UInt8], [UInt8], TCBStatus, [String])])
  func aReport15KnowsThePlatformOfNow(
    launch: [UInt8], now: [UInt8], status: TCBStatus, advisories: [String]
  ) throws {
    var pki = TestPKI()
    pki.quote.version = 5
    pki.quote.isReport15 = true
    pki.quote.teeTCBSVN = Self.svn(launch)
    pki.quote.teeTCBSVN2 = Self.svn(now)
    let quote = try verify(pki)
    #expect(quote.status == status)
    #expect(quote.advisoryIDs.sorted() == advisories)
  }

  @Test(arguments: [16, 27, 30, 31, 62, 63]) func acceptsAnAttributeBit(_ bit: Int) throws {
    var pki = TestPKI()
    pki.quote.tdAttributes |= 1 << UInt64(bit)
    #expect(try verify(pki).status == .upToDate)
  }
}
