import Crypto

/// How a TCB info is to be. The defaults make one in which the default quote is up to date.
package struct TCBInfoRecipe: Sendable {
  package struct Level: Sendable {
    package var sgx: [Int]
    package var tdx: [Int]
    package var pceSVN: Int
    package var status: String
    package var advisoryIDs: [String]

    package init(
      sgx: [Int] = [5, 5, 2, 2, 3, 1, 0, 5] + [Int](repeating: 0, count: 8),
      tdx: [Int], pceSVN: Int = 11, status: String, advisoryIDs: [String] = []
    ) {
      self.sgx = sgx
      self.tdx = tdx + [Int](repeating: 0, count: max(0, 16 - tdx.count))
      self.pceSVN = pceSVN
      self.status = status
      self.advisoryIDs = advisoryIDs
    }
  }

  package struct ComponentLevel: Sendable {
    package var svn: Int
    package var status: String
    package var advisoryIDs: [String]

    package init(_ svn: Int, _ status: String, _ advisoryIDs: [String] = []) {
      self.svn = svn
      self.status = status
      self.advisoryIDs = advisoryIDs
    }

    var json: String {
      "{\"tcb\":{\"isvsvn\":\(svn)},\"tcbDate\":\"2026-01-01T00:00:00Z\","
        + "\"tcbStatus\":\"\(status)\"\(JSONText.advisories(advisoryIDs))}"
    }
  }

  package var id = "TDX"
  package var version = 3
  package var tcbType = 0
  package var issueDate: Int64
  package var nextUpdate: Int64
  package var fmspc = "102030405060"
  package var pceID = "0000"
  package var module: String? = Self.moduleFields()
  /// Identity name and levels; `nil` leaves the field out.
  package var identities: [(id: String, fields: String, levels: [ComponentLevel])]? = [
    (
      "TDX_01", Self.moduleFields(),
      [
        ComponentLevel(6, "UpToDate"), ComponentLevel(3, "OutOfDate", ["SA-MODULE-3"]),
        ComponentLevel(1, "Revoked"),
      ]
    )
  ]
  package var levels = [
    Level(tdx: [0, 0, 9], status: "UpToDate"),
    Level(tdx: [0, 0, 8], status: "SWHardeningNeeded", advisoryIDs: ["SA-8"]),
    Level(tdx: [0, 0, 7], status: "ConfigurationNeeded", advisoryIDs: ["SA-7"]),
    Level(tdx: [0, 0, 5], status: "OutOfDate", advisoryIDs: ["SA-5"]),
    Level(tdx: [0, 0, 3], status: "Revoked"),
  ]

  package static func moduleFields(
    mrSigner: String = String(repeating: "00", count: 48), attributes: String = "0000000000000000"
  ) -> String {
    "\"mrsigner\":\"\(mrSigner)\",\"attributes\":\"\(attributes)\","
      + "\"attributesMask\":\"FFFFFFFFFFFFFFFF\""
  }

  package var json: String {
    var text = "{\"id\":\"\(id)\",\"version\":\(version)," + JSONText.dates(issueDate, nextUpdate)
    text += ",\"fmspc\":\"\(fmspc)\",\"pceId\":\"\(pceID)\",\"tcbType\":\(tcbType)"
    text += ",\"tcbEvaluationDataNumber\":17"
    if let module { text += ",\"tdxModule\":{\(module)}" }
    if let identities {
      let items = identities.map { item in
        "{\"id\":\"\(item.id)\",\(item.fields),\"tcbLevels\":[\(item.levels.map(\.json).joined(separator: ","))]}"
      }
      text += ",\"tdxModuleIdentities\":[\(items.joined(separator: ","))]"
    }
    let items = levels.map { level in
      "{\"tcb\":{\"sgxtcbcomponents\":\(JSONText.components(level.sgx)),\"pcesvn\":\(level.pceSVN),"
        + "\"tdxtcbcomponents\":\(JSONText.components(level.tdx))},"
        + "\"tcbDate\":\"2026-01-01T00:00:00Z\",\"tcbStatus\":\"\(level.status)\""
        + "\(JSONText.advisories(level.advisoryIDs))}"
    }
    return text + ",\"tcbLevels\":[\(items.joined(separator: ","))]}"
  }
}

/// How a QE identity is to be. The defaults make one that the default quote's enclave has.
package struct QEIdentityRecipe: Sendable {
  package var id = "TD_QE"
  package var version = 2
  package var issueDate: Int64
  package var nextUpdate: Int64
  package var miscSelect = "00000000"
  package var miscSelectMask = "FFFFFFFF"
  package var attributes = "11000000000000000000000000000000"
  package var attributesMask = "FBFFFFFFFFFFFFFF0000000000000000"
  package var mrSigner = String(repeating: "9E", count: 32)
  package var productID = 2
  package var levels = [
    TCBInfoRecipe.ComponentLevel(8, "UpToDate"),
    TCBInfoRecipe.ComponentLevel(6, "OutOfDate", ["SA-QE-6"]),
    TCBInfoRecipe.ComponentLevel(4, "Revoked"),
  ]

  package var json: String {
    "{\"id\":\"\(id)\",\"version\":\(version)," + JSONText.dates(issueDate, nextUpdate)
      + ",\"miscselect\":\"\(miscSelect)\",\"miscselectMask\":\"\(miscSelectMask)\""
      + ",\"attributes\":\"\(attributes)\",\"attributesMask\":\"\(attributesMask)\""
      + ",\"mrsigner\":\"\(mrSigner)\",\"isvprodid\":\(productID)"
      + ",\"tcbLevels\":[\(levels.map(\.json).joined(separator: ","))]}"
  }
}

enum JSONText {
  static func dates(_ issueDate: Int64, _ nextUpdate: Int64) -> String {
    "\"issueDate\":\"\(CivilDate(issueDate).iso8601)\","
      + "\"nextUpdate\":\"\(CivilDate(nextUpdate).iso8601)\""
  }

  static func components(_ svns: [Int]) -> String {
    "[" + svns.map { "{\"svn\":\($0)}" }.joined(separator: ",") + "]"
  }

  static func advisories(_ ids: [String]) -> String {
    ids.isEmpty ? "" : ",\"advisoryIDs\":[\(ids.map { "\"\($0)\"" }.joined(separator: ","))]"
  }

  /// A JSON string of text that is ASCII.
  static func string(_ text: String) -> String {
    var out = "\""
    for character in text.unicodeScalars {
      switch character {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      default: out.unicodeScalars.append(character)
      }
    }
    return out + "\""
  }
}
