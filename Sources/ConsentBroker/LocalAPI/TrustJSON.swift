import HTTP
import MeroConsent

/// `node.trust`: exactly one of `transportKey`, `measurements` (with `tcb`), `releases` and
/// `development`.
struct TrustJSON: JSONObject {
  private var transportKey: String?
  private var measurements: [Measurements]?
  private var tcb: [String]?
  private var releases: Releases?
  private var development: Bool?

  private struct Measurements: JSONObject {
    let mrtd: String
    let rtmr0: String
    let rtmr1: String
    let rtmr2: String
    let rtmr3: String

    func write(to json: inout JSONText) {
      json.member("mrtd", mrtd)
      json.member("rtmr0", rtmr0)
      json.member("rtmr1", rtmr1)
      json.member("rtmr2", rtmr2)
      json.member("rtmr3", rtmr3)
    }
  }

  /// Those of the daemon's configuration: `true`, or a list of names.
  private enum Releases {
    case all
    case named([String])
  }

  /// `nil` where nothing is configured.
  init?(_ trust: SessionTrust) {
    switch trust {
    case .releases(let names): releases = names.map { .named($0) } ?? .all
    case .node(.transportKey(let key)): transportKey = key
    case .node(.measurements(let images, let tcb)):
      measurements = images.map {
        Measurements(
          mrtd: $0.mrtd, rtmr0: $0.rtmr0, rtmr1: $0.rtmr1, rtmr2: $0.rtmr2, rtmr3: $0.rtmr3)
      }
      self.tcb = tcb
    case .node(.development): development = true
    case .node(.unconfigured): return nil
    }
  }

  func write(to json: inout JSONText) {
    json.member("development", development)
    json.member("measurements", measurements)
    switch releases {
    case .all?: json.member("releases", true)
    case .named(let names)?: json.member("releases", names)
    case nil: break
    }
    json.member("tcb", tcb)
    json.member("transportKey", transportKey)
  }

  /// Reads `trust` of the object `node`.
  ///
  /// - Returns: `nil` without it.
  static func read(_ node: inout JSONFields) throws(APIProblem) -> SessionTrust? {
    guard let value = node.value("trust") else { return nil }
    var trust = try JSONFields(value, path: "node.trust.")
    var ways: [SessionTrust] = []
    if let key = try trust.optionalText("transportKey") {
      guard isHex(key, digits: 64) else {
        throw trust.invalid("transportKey", "is not 64 hexadecimal digits")
      }
      ways.append(.node(.transportKey(key)))
    }
    let tcb = try trust.optionalTexts("tcb")
    if let list = try trust.optionalList("measurements") {
      ways.append(
        .node(.measurements(try images(list, trust), tcb: tcb ?? ["UpToDate"])))
    } else if tcb != nil {
      throw trust.invalid("tcb", "says something only together with measurements")
    }
    if let flag = try trust.optionalFlag("development") {
      guard flag else { throw trust.invalid("development", "can only be true") }
      ways.append(.node(.development))
    }
    if let way = try releases(&trust) { ways.append(way) }
    try trust.finish()
    guard ways.count == 1, let way = ways.first else {
      throw node.invalid(
        "trust", "is not exactly one of transportKey, measurements, releases, development")
    }
    return way
  }

  private static func releases(_ trust: inout JSONFields) throws(APIProblem) -> SessionTrust? {
    switch trust.value("releases") {
    case nil: return nil
    case .bool(true): return .releases(nil)
    case .array:
      let names = try trust.optionalTexts("releases") ?? []
      guard !names.isEmpty else { throw trust.invalid("releases", "names no release") }
      return .releases(names)
    default: throw trust.invalid("releases", "is neither true nor a list of names")
    }
  }

  private static func images(
    _ list: [JSONValue], _ trust: JSONFields
  ) throws(APIProblem) -> [NodeMeasurements] {
    guard !list.isEmpty else { throw trust.invalid("measurements", "names no image") }
    var images: [NodeMeasurements] = []
    for (index, item) in list.enumerated() {
      var image = try JSONFields(item, path: "node.trust.measurements[\(index)].")
      images.append(
        NodeMeasurements(
          mrtd: try register("mrtd", &image), rtmr0: try register("rtmr0", &image),
          rtmr1: try register("rtmr1", &image), rtmr2: try register("rtmr2", &image),
          rtmr3: try register("rtmr3", &image)))
      try image.finish()
    }
    return images
  }

  private static func register(
    _ name: String, _ image: inout JSONFields
  ) throws(APIProblem) -> String {
    let value = try image.text(name)
    guard isHex(value, digits: 96) else {
      throw image.invalid(name, "is not 96 hexadecimal digits")
    }
    return value
  }

  static func isHex(_ text: String, digits: Int) -> Bool {
    text.utf8.count == digits && text.utf8.allSatisfy { HTTPBytes.hexValue($0) != nil }
  }
}
