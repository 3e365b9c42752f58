/// Intel's identity of the quoting enclave, version 2, for TDX (specification, section 7).
struct QEIdentity {
  let miscSelect: [UInt8]
  let miscSelectMask: [UInt8]
  let attributes: [UInt8]
  let attributesMask: [UInt8]
  let mrSigner: [UInt8]
  let isvProdID: Int
  let levels: [ComponentLevel]

  /// - Throws: `qe-identity-malformed`, or `qe-identity-mismatch` when it is whole but of
  ///   another enclave.
  init(parsing json: [UInt8]) throws(QuoteFailure) {
    let id: String
    do throws(JSONMismatch) {
      (self, id) = try Self.read(json)
    } catch {
      throw .qeIdentityMalformed
    }
    guard id == "TD_QE" else { throw .qeIdentityMismatch }
  }

  private init(
    miscSelect: [UInt8], miscSelectMask: [UInt8], attributes: [UInt8], attributesMask: [UInt8],
    mrSigner: [UInt8], isvProdID: Int, levels: [ComponentLevel]
  ) {
    self.miscSelect = miscSelect
    self.miscSelectMask = miscSelectMask
    self.attributes = attributes
    self.attributesMask = attributesMask
    self.mrSigner = mrSigner
    self.isvProdID = isvProdID
    self.levels = levels
  }

  private static func read(_ json: [UInt8]) throws(JSONMismatch) -> (QEIdentity, id: String) {
    var id = Required<String>()
    var version = Required<Int>()
    var miscSelect = Required<[UInt8]>()
    var miscSelectMask = Required<[UInt8]>()
    var attributes = Required<[UInt8]>()
    var attributesMask = Required<[UInt8]>()
    var mrSigner = Required<[UInt8]>()
    var isvProdID = Required<Int>()
    var levels = Required<[ComponentLevel]>()
    try JSONReader.document(json) { (name, value) throws(JSONMismatch) in
      switch name {
      case "id": try id.set(try value.text())
      case "version": try version.set(try value.integer(upTo: 2))
      case "miscselect": try miscSelect.set(try value.hex(4))
      case "miscselectMask": try miscSelectMask.set(try value.hex(4))
      case "attributes": try attributes.set(try value.hex(16))
      case "attributesMask": try attributesMask.set(try value.hex(16))
      case "mrsigner": try mrSigner.set(try value.hex(32))
      case "isvprodid": try isvProdID.set(try value.integer(upTo: Int(UInt16.max)))
      case "tcbLevels": try levels.set(try ComponentLevel.list(&value))
      default: try value.skip()
      }
    }
    guard try version.get() == 2 else { throw JSONMismatch() }
    let identity = QEIdentity(
      miscSelect: try miscSelect.get(), miscSelectMask: try miscSelectMask.get(),
      attributes: try attributes.get(), attributesMask: try attributesMask.get(),
      mrSigner: try mrSigner.get(), isvProdID: try isvProdID.get(), levels: try levels.get())
    return (identity, try id.get())
  }
}

extension QEIdentity {
  private static let debugBit: UInt8 = 0x02

  /// Step 14: whether `report` is of this enclave, and the level that it is at.
  func level(of report: QEReport) throws(QuoteFailure) -> ComponentLevel {
    guard Self.agree(report.miscSelect, miscSelect, under: miscSelectMask),
      Self.agree(report.attributes, attributes, under: attributesMask),
      let flags = report.attributes.first, flags & Self.debugBit == 0,
      report.mrSigner.elementsEqual(mrSigner), Int(report.isvProdID) == isvProdID
    else { throw .qeIdentityMismatch }
    guard let level = levels.first(where: { Int(report.isvSVN) >= $0.isvSVN }) else {
      throw .qeTCBLevelUnsupported
    }
    return level
  }

  private static func agree(
    _ value: ArraySlice<UInt8>, _ expected: [UInt8], under mask: [UInt8]
  ) -> Bool {
    zip(value, zip(expected, mask)).allSatisfy { $0 & $1.1 == $1.0 & $1.1 }
  }
}
