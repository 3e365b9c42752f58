import Crypto

/// How a quote is to be. The defaults make a sound one of version 4.
package struct QuoteRecipe: Sendable {
  package var version: UInt16 = 4
  /// Whether the body is a TD report 1.5; version 5 only.
  package var isReport15 = false
  package var teeTCBSVN: [UInt8] = [6, 1, 9] + [UInt8](repeating: 0, count: 13)
  package var teeTCBSVN2: [UInt8] = [6, 1, 9] + [UInt8](repeating: 0, count: 13)
  package var mrSignerSEAM = [UInt8](repeating: 0, count: 48)
  package var seamAttributes: UInt64 = 0
  package var tdAttributes: UInt64 = 1 << 28
  package var mrtd = [UInt8](repeating: 0xd0, count: 48)
  /// RTMR0 to RTMR3.
  package var rtmrs: [[UInt8]] = (0..<4).map { [UInt8](repeating: 0xa0 + $0, count: 48) }
  package var mrServiceTD = [UInt8](repeating: 0, count: 48)
  package var reportData = [UInt8](repeating: 0x5a, count: 64)

  package var qeMiscSelect: [UInt8] = [0, 0, 0, 0]
  package var qeAttributes: [UInt8] = [0x11] + [UInt8](repeating: 0, count: 15)
  package var qeMRSigner = [UInt8](repeating: 0x9e, count: 32)
  package var qeProductID: UInt16 = 2
  package var qeSVN: UInt16 = 8
  package var qeAuthenticationData: [UInt8] = Array(0..<32)
  /// What the quoting enclave names as the hash of the key, where not the right one.
  package var qeReportHash: [UInt8]?

  package var attestationKey: SigningKey
  /// Instead of the key's own coordinates.
  package var attestationCoordinates: [UInt8]?
  /// Who signs the quote, where not the attestation key.
  package var quoteSigner: SigningKey?
  package var outerCertificationType: UInt16 = 6
  package var innerCertificationType: UInt16 = 5
  /// Behind the PEM text; a NUL is usual.
  package var chainEnd: [UInt8] = [0]
  /// Behind the signature data.
  package var padding: [UInt8] = []

  /// - Parameters:
  ///   - pckKey: signs the quoting enclave's report.
  ///   - chain: the PEM text of the platform's certificates.
  package func bytes(pckKey: SigningKey, chain: String) -> [UInt8] {
    let body = header + descriptor + report
    let key = attestationCoordinates ?? attestationKey.coordinates
    let enclave = qeReport(key)
    let pem = Array(chain.utf8) + chainEnd
    let certification =
      enclave + pckKey.signRaw(enclave).prefix(64) + little(UInt16(qeAuthenticationData.count))
      + qeAuthenticationData + little(innerCertificationType) + little(UInt32(pem.count)) + pem
    let signatures =
      (quoteSigner ?? attestationKey).signRaw(body) + key + little(outerCertificationType)
      + little(UInt32(certification.count)) + certification
    return body + little(UInt32(signatures.count)) + signatures + padding
  }

  private var header: [UInt8] {
    let vendor: [UInt8] = [
      0x93, 0x9a, 0x72, 0x33, 0xf7, 0x9c, 0x4c, 0xa9, 0x94, 0x0a, 0x0d, 0xb3, 0x95, 0x7f, 0x06,
      0x07,
    ]
    return little(version) + [2, 0, 0x81, 0, 0, 0] + [8, 0, 11, 0] + vendor
      + [UInt8](repeating: 0x1d, count: 20)
  }

  private var descriptor: [UInt8] {
    guard version == 5 else { return [] }
    return isReport15 ? [3, 0, 0x88, 2, 0, 0] : [2, 0, 0x48, 2, 0, 0]
  }

  private var report: [UInt8] {
    teeTCBSVN + [UInt8](repeating: 0x5e, count: 48) + mrSignerSEAM + little(seamAttributes)
      + little(tdAttributes) + little(UInt64(0x61ae7)) + mrtd
      + [UInt8](repeating: 0, count: 144) + Array(rtmrs.joined()) + reportData
      + (isReport15 ? teeTCBSVN2 + mrServiceTD : [])
  }

  private func qeReport(_ key: [UInt8]) -> [UInt8] {
    var report = [UInt8](repeating: 0, count: 384)
    func put(_ offset: Int, _ bytes: [UInt8]) {
      report.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }
    put(16, qeMiscSelect)
    put(48, qeAttributes)
    put(64, [UInt8](repeating: 0xec, count: 32))
    put(128, qeMRSigner)
    put(256, little(qeProductID))
    put(258, little(qeSVN))
    put(320, qeReportHash ?? SHA256.hash(key + qeAuthenticationData))
    return report
  }

  private func little(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }
}
