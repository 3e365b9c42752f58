import FoundationEssentials

/// The directory that a case file's names are relative to. Files are read once.
struct DataDirectory {
  private let path: String
  private var cache: [String: [UInt8]] = [:]

  init(path: String) { self.path = path }

  mutating func bytes(_ name: String) throws(CaseProblem) -> [UInt8] {
    if let known = cache[name] { return known }
    guard let data = FileManager.default.contents(atPath: path + "/" + name) else {
      throw CaseProblem("cannot read \(name)")
    }
    let bytes = Array(data)
    cache[name] = bytes
    return bytes
  }

  mutating func object(_ name: String) throws(CaseProblem) -> [String: JSONValue] {
    let data = Data(try bytes(name))
    guard let value = try? JSONDecoder().decode(JSONValue.self, from: data),
      case .object(let fields) = value
    else { throw CaseProblem("\(name) is no JSON object") }
    return fields
  }
}

/// A case that cannot be run as it is written.
struct CaseProblem: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
