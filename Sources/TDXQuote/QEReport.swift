/// The quoting enclave's own report, an SGX report body (specification, section 2).
struct QEReport {
  static let size = 384

  /// What the PCK key signed.
  let bytes: ArraySlice<UInt8>

  /// - Precondition: `bytes` has 384 bytes.
  init(_ bytes: ArraySlice<UInt8>) {
    precondition(bytes.count == Self.size)
    self.bytes = bytes
  }

  /// In the report's byte order.
  var miscSelect: ArraySlice<UInt8> { field(16, 4) }
  var attributes: ArraySlice<UInt8> { field(48, 16) }
  var mrSigner: ArraySlice<UInt8> { field(128, 32) }
  var isvProdID: UInt16 { number(256) }
  var isvSVN: UInt16 { number(258) }
  /// The first half of REPORTDATA, where the enclave names the attestation key.
  var reportDataHash: ArraySlice<UInt8> { field(320, 32) }

  private func field(_ offset: Int, _ size: Int) -> ArraySlice<UInt8> {
    bytes.dropFirst(offset).prefix(size)
  }

  private func number(_ offset: Int) -> UInt16 {
    field(offset, 2).reversed().reduce(0) { $0 << 8 | UInt16($1) }
  }
}
