import TestPKI
import Testing

@testable import TDXQuote

/// What a client demands beyond a genuine quote (specification, section 10).
@Suite struct PolicyTests {
  private static func registers(_ first: UInt8, changing index: Int? = nil) -> [[UInt8]] {
    (0..<5).map { [UInt8](repeating: first &+ UInt8($0), count: 47) + [$0 == index ? 1 : 0] }
  }

  private static func image(_ name: String, _ registers: [[UInt8]]) throws -> TrustedImage {
    TrustedImage(
      name: name,
      measurements: try #require(
        Measurements(
          mrtd: registers[0], rtmr0: registers[1], rtmr1: registers[2], rtmr2: registers[3],
          rtmr3: registers[4])))
  }

  private static let reportData = [UInt8](repeating: 9, count: 64)

  private static func quote(
    _ registers: [[UInt8]], status: TCBStatus = .upToDate, reportData: [UInt8] = reportData
  ) throws -> VerifiedQuote {
    VerifiedQuote(
      status: status, advisoryIDs: [], measurements: try image("", registers).measurements,
      reportData: reportData, fmspc: [], reportVersion: .tdx10, holdsUntil: 0)
  }

  @Test func namesTheImageThatRuns() throws {
    let policy = try QuotePolicy(images: [
      Self.image("one", Self.registers(10)), Self.image("two", Self.registers(20)),
    ])
    let quote = try Self.quote(Self.registers(20))
    #expect(try policy.judge(quote, expectedReportData: Self.reportData).name == "two")
  }

  @Test(arguments: 0..<5) func everyRegisterCounts(_ index: Int) throws {
    let policy = try QuotePolicy(images: [Self.image("one", Self.registers(10))])
    let quote = try Self.quote(Self.registers(10, changing: index))
    #expect(throws: QuoteFailure.measurementsUntrusted) {
      try policy.judge(quote, expectedReportData: Self.reportData)
    }
  }

  @Test(arguments: 0..<5) func registersOfTwoImagesNeverCombine(_ index: Int) throws {
    let policy = try QuotePolicy(images: [
      Self.image("one", Self.registers(10)), Self.image("two", Self.registers(20)),
    ])
    var mixed = Self.registers(10)
    mixed[index] = Self.registers(20)[index]
    let quote = try Self.quote(mixed)
    #expect(throws: QuoteFailure.measurementsUntrusted) {
      try policy.judge(quote, expectedReportData: Self.reportData)
    }
  }

  @Test(arguments: TCBStatus.allCases) func onlyUpToDateIsAllowedByDefault(
    _ status: TCBStatus
  ) throws {
    let images = [try Self.image("one", Self.registers(10))]
    let quote = try Self.quote(Self.registers(10), status: status)
    let strict = try QuotePolicy(images: images)
    let wide = try QuotePolicy(images: images, allowedStatuses: [.upToDate, status])
    if status == .upToDate {
      #expect(throws: Never.self) {
        try strict.judge(quote, expectedReportData: Self.reportData)
      }
    } else {
      #expect(throws: QuoteFailure.tcbStatusNotAllowed) {
        try strict.judge(quote, expectedReportData: Self.reportData)
      }
    }
    #expect(throws: Never.self) { try wide.judge(quote, expectedReportData: Self.reportData) }
  }

  @Test(arguments: [0, 31, 32, 63]) func everyByteOfTheReportDataCounts(_ index: Int) throws {
    let policy = try QuotePolicy(images: [Self.image("one", Self.registers(10))])
    var other = Self.reportData
    other[index] ^= 0x80
    let quote = try Self.quote(Self.registers(10), reportData: other)
    #expect(throws: QuoteFailure.reportDataMismatch) {
      try policy.judge(quote, expectedReportData: Self.reportData)
    }
  }

  @Test(arguments: [0, 32, 63, 65]) func expectedReportDataHas64Bytes(_ count: Int) throws {
    let policy = try QuotePolicy(images: [Self.image("one", Self.registers(10))])
    let short = [UInt8](repeating: 9, count: count)
    let quote = try Self.quote(Self.registers(10), reportData: short)
    #expect(throws: QuoteFailure.reportDataMismatch) {
      try policy.judge(quote, expectedReportData: short)
    }
  }

  @Test func statusCountsBeforeMeasurementsBeforeReportData() throws {
    let policy = try QuotePolicy(images: [Self.image("one", Self.registers(10))])
    let all = try Self.quote(Self.registers(20), status: .outOfDate, reportData: [])
    #expect(throws: QuoteFailure.tcbStatusNotAllowed) {
      try policy.judge(all, expectedReportData: Self.reportData)
    }
    let two = try Self.quote(Self.registers(20), reportData: [])
    #expect(throws: QuoteFailure.measurementsUntrusted) {
      try policy.judge(two, expectedReportData: Self.reportData)
    }
  }

  @Test func anEmptyPolicyIsRefused() throws {
    #expect(throws: QuotePolicy.Misuse.noImages) { try QuotePolicy(images: []) }
    let image = try Self.image("one", Self.registers(10))
    #expect(throws: QuotePolicy.Misuse.noStatuses) {
      try QuotePolicy(images: [image], allowedStatuses: [])
    }
  }

  @Test(arguments: [0, 47, 49]) func registersHave48Bytes(_ count: Int) {
    for index in 0..<5 {
      var registers = Self.registers(10)
      registers[index] = [UInt8](repeating: 0, count: count)
      let measurements = Measurements(
        mrtd: registers[0], rtmr0: registers[1], rtmr1: registers[2], rtmr2: registers[3],
        rtmr3: registers[4])
      #expect(measurements == nil)
    }
  }
}
