/// What a quote is judged with, as a node sends it (specification, section 3). Nothing in it is
/// believed before its signature has verified.
struct Collateral {
  /// The longest JSON text that is read, in bytes; real ones have about 30,000.
  static let sizeLimit = 256 * 1024

  let pckCRLIssuerChain: [UInt8]
  let rootCRL: [UInt8]
  let pckCRL: [UInt8]
  let tcbInfoIssuerChain: [UInt8]
  /// The very bytes that Intel signed.
  let tcbInfo: [UInt8]
  let tcbInfoSignature: [UInt8]
  let qeIdentityIssuerChain: [UInt8]
  /// The very bytes that Intel signed.
  let qeIdentity: [UInt8]
  let qeIdentitySignature: [UInt8]

  /// Step 5: every field is there and of its type. Other fields are ignored, a chain that the
  /// collateral may bring for the quote among them: the one inside the quote is verified.
  init(parsing json: [UInt8]?) throws(QuoteFailure) {
    guard let json, json.count <= Self.sizeLimit else { throw .collateralMalformed }
    do throws(JSONMismatch) {
      try self.init(reading: json)
    } catch {
      throw .collateralMalformed
    }
  }

  private init(reading json: [UInt8]) throws(JSONMismatch) {
    var pckCRLIssuerChain = Required<[UInt8]>()
    var rootCRL = Required<[UInt8]>()
    var pckCRL = Required<[UInt8]>()
    var tcbInfoIssuerChain = Required<[UInt8]>()
    var tcbInfo = Required<[UInt8]>()
    var tcbInfoSignature = Required<[UInt8]>()
    var qeIdentityIssuerChain = Required<[UInt8]>()
    var qeIdentity = Required<[UInt8]>()
    var qeIdentitySignature = Required<[UInt8]>()
    try JSONReader.document(json) { (name, value) throws(JSONMismatch) in
      switch name {
      case "pck_crl_issuer_chain": try pckCRLIssuerChain.set(try value.string())
      case "root_ca_crl": try rootCRL.set(try value.byteString())
      case "pck_crl": try pckCRL.set(try value.byteString())
      case "tcb_info_issuer_chain": try tcbInfoIssuerChain.set(try value.string())
      case "tcb_info": try tcbInfo.set(try value.string())
      case "tcb_info_signature": try tcbInfoSignature.set(try value.byteString())
      case "qe_identity_issuer_chain": try qeIdentityIssuerChain.set(try value.string())
      case "qe_identity": try qeIdentity.set(try value.string())
      case "qe_identity_signature": try qeIdentitySignature.set(try value.byteString())
      default: try value.skip()
      }
    }
    self.pckCRLIssuerChain = try pckCRLIssuerChain.get()
    self.rootCRL = try rootCRL.get()
    self.pckCRL = try pckCRL.get()
    self.tcbInfoIssuerChain = try tcbInfoIssuerChain.get()
    self.tcbInfo = try tcbInfo.get()
    self.tcbInfoSignature = try tcbInfoSignature.get()
    self.qeIdentityIssuerChain = try qeIdentityIssuerChain.get()
    self.qeIdentity = try qeIdentity.get()
    self.qeIdentitySignature = try qeIdentitySignature.get()
  }
}
