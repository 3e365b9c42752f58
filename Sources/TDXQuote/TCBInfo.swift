/// Intel's TCB info of version 3 for TDX (specification, section 6), once its signature has
/// verified and its dates hold.
struct TCBInfo {
  static let componentCount = 16

  /// What the module that loaded the TD must be.
  struct Module {
    /// 48 bytes.
    let mrSigner: [UInt8]
    /// 8 bytes.
    let attributes: [UInt8]
  }

  struct ModuleIdentity {
    /// `TDX_` and the module's version as two hexadecimal digits; case does not count.
    let id: String
    let module: Module
    let levels: [ComponentLevel]
  }

  struct PlatformLevel {
    let sgxSVN: [UInt8]
    let tdxSVN: [UInt8]
    let pceSVN: Int
    let status: PlatformStatus
    let advisoryIDs: [String]
  }

  /// 6 bytes.
  let fmspc: [UInt8]
  /// 2 bytes.
  let pceID: [UInt8]
  let module: Module
  let moduleIdentities: [ModuleIdentity]
  /// In the document's order.
  let levels: [PlatformLevel]

  /// - Throws: `tcb-info-malformed`, or `tcb-info-mismatch` when it is whole but not for TDX.
  init(parsing json: [UInt8]) throws(QuoteFailure) {
    let id: String
    do throws(JSONMismatch) {
      (self, id) = try Self.read(json)
    } catch {
      throw .tcbInfoMalformed
    }
    guard id == "TDX" else { throw .tcbInfoMismatch }
  }

  private init(
    fmspc: [UInt8], pceID: [UInt8], module: Module, moduleIdentities: [ModuleIdentity],
    levels: [PlatformLevel]
  ) {
    self.fmspc = fmspc
    self.pceID = pceID
    self.module = module
    self.moduleIdentities = moduleIdentities
    self.levels = levels
  }

  private static func read(_ json: [UInt8]) throws(JSONMismatch) -> (TCBInfo, id: String) {
    var id = Required<String>()
    var version = Required<Int>()
    var tcbType = Required<Int>()
    var fmspc = Required<[UInt8]>()
    var pceID = Required<[UInt8]>()
    var module = Required<Module>()
    var identities = Required<[ModuleIdentity]>()
    var levels = Required<[PlatformLevel]>()
    try JSONReader.document(json) { (name, value) throws(JSONMismatch) in
      switch name {
      case "id": try id.set(try value.text())
      case "version": try version.set(try value.integer(upTo: 3))
      case "tcbType": try tcbType.set(try value.integer(upTo: 0))
      case "fmspc": try fmspc.set(try value.hex(6))
      case "pceId": try pceID.set(try value.hex(2))
      case "tdxModule": try module.set(try Self.module(&value))
      case "tdxModuleIdentities": try identities.set(try Self.identities(&value))
      case "tcbLevels": try levels.set(try Self.platformLevels(&value))
      default: try value.skip()
      }
    }
    guard try version.get() == 3, try tcbType.get() == 0 else { throw JSONMismatch() }
    let info = TCBInfo(
      fmspc: try fmspc.get(), pceID: try pceID.get(), module: try module.get(),
      moduleIdentities: identities.get(orElse: []), levels: try levels.get())
    return (info, try id.get())
  }

  private static func module(_ reader: inout JSONReader) throws(JSONMismatch) -> Module {
    var fields = ModuleFields()
    try reader.object { (name, value) throws(JSONMismatch) in
      if try !fields.read(name, &value) { try value.skip() }
    }
    return try fields.module()
  }

  private static func identities(
    _ reader: inout JSONReader
  ) throws(JSONMismatch) -> [ModuleIdentity] {
    var identities: [ModuleIdentity] = []
    try reader.array { (element) throws(JSONMismatch) in
      var fields = ModuleFields()
      var id = Required<String>()
      var levels = Required<[ComponentLevel]>()
      try element.object { (name, value) throws(JSONMismatch) in
        if try fields.read(name, &value) { return }
        switch name {
        case "id": try id.set(try value.text())
        case "tcbLevels": try levels.set(try ComponentLevel.list(&value))
        default: try value.skip()
        }
      }
      identities.append(
        ModuleIdentity(id: try id.get(), module: try fields.module(), levels: try levels.get()))
    }
    return identities
  }

  private static func platformLevels(
    _ reader: inout JSONReader
  ) throws(JSONMismatch) -> [PlatformLevel] {
    var levels: [PlatformLevel] = []
    try reader.array { (element) throws(JSONMismatch) in
      var sgx = Required<[UInt8]>()
      var tdx = Required<[UInt8]>()
      var pceSVN = Required<Int>()
      let details = try LevelDetails<PlatformStatus>(&element) {
        (name, value) throws(JSONMismatch) in
        switch name {
        case "sgxtcbcomponents": try sgx.set(try Self.components(&value))
        case "tdxtcbcomponents": try tdx.set(try Self.components(&value))
        case "pcesvn": try pceSVN.set(try value.integer(upTo: Int(UInt16.max)))
        default: try value.skip()
        }
      }
      levels.append(
        PlatformLevel(
          sgxSVN: try sgx.get(), tdxSVN: try tdx.get(), pceSVN: try pceSVN.get(),
          status: details.status, advisoryIDs: details.advisoryIDs))
    }
    if levels.isEmpty { throw JSONMismatch() }
    return levels
  }

  private static func components(_ reader: inout JSONReader) throws(JSONMismatch) -> [UInt8] {
    var svns: [UInt8] = []
    try reader.array { (element) throws(JSONMismatch) in
      var svn = Required<UInt8>()
      try element.object { (name, value) throws(JSONMismatch) in
        switch name {
        case "svn": try svn.set(UInt8(try value.integer(upTo: 255)))
        default: try value.skip()
        }
      }
      svns.append(try svn.get())
    }
    guard svns.count == componentCount else { throw JSONMismatch() }
    return svns
  }
}

/// The three fields that `tdxModule` and each identity have.
private struct ModuleFields {
  private var mrSigner = Required<[UInt8]>()
  private var attributes = Required<[UInt8]>()
  private var mask = Required<[UInt8]>()

  /// - Returns: whether `name` is one of the three; then its value was read.
  mutating func read(_ name: String, _ value: inout JSONReader) throws(JSONMismatch) -> Bool {
    switch name {
    case "mrsigner": try mrSigner.set(try value.hex(48))
    case "attributes": try attributes.set(try value.hex(8))
    case "attributesMask": try mask.set(try value.hex(8))
    default: return false
    }
    return true
  }

  /// The mask is not needed: SEAMATTRIBUTES must be zero whatever it says.
  func module() throws(JSONMismatch) -> TCBInfo.Module {
    _ = try mask.get()
    return TCBInfo.Module(mrSigner: try mrSigner.get(), attributes: try attributes.get())
  }
}
