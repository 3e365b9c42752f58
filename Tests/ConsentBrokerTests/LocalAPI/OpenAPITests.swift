import FoundationEssentials
import HTTP
import MeroConsent
import Testing

@testable import ConsentBroker

/// `docs/openapi.yaml` against the code. The answers themselves are compared by the black-box
/// tests; here are the lists that must not drift.
@Suite struct OpenAPITests {
  let description: OpenAPIDescription

  init() throws { description = try OpenAPIDescription() }

  @Test func listsExactlyTheRoutes() {
    let routes = RouteTable.routes.map { "\($0.method.name) \($0.path.template)" }
    #expect(Set(routes).count == routes.count)
    #expect(description.operations.keys.sorted() == routes.sorted())
  }

  @Test func saysWhichRoutesNeedAKey() throws {
    for route in RouteTable.routes {
      let operation = try #require(
        description.operations["\(route.method.name) \(route.path.template)"])
      switch route.access {
      case .anybody, .anybodyNow:
        #expect(operation.isOpen)
        #expect(!operation.statuses.contains("401"))
      case .session, .sessionNow:
        #expect(!operation.isOpen)
        #expect(operation.statuses.contains("401"))
      }
    }
  }

  @Test func listsTheStatusesThatEveryRouteMayAnswerWith() {
    for (name, operation) in description.operations {
      let missing = Set(["400", "403", "408", "413", "414", "429", "431", "503"])
        .subtracting(operation.statuses)
      #expect(missing.isEmpty, "\(name)")
      #expect(name.contains("{id}") == operation.statuses.contains("404"), "\(name)")
    }
  }

  @Test func listsTheCodes() {
    #expect(description.list("Code") == ConsentError.Code.allCases.map(\.rawValue).sorted())
    #expect(description.list("APICode") == APICode.allCases.map(\.rawValue).sorted())
  }

  @Test func hasNoCodeTwice() {
    let own = Set(APICode.allCases.map(\.rawValue))
    #expect(own.isDisjoint(with: ConsentError.Code.allCases.map(\.rawValue)))
  }

  @Test func listsTheKindsAndTheStates() {
    #expect(description.list("Kind") == ConsentKind.allCases.map(\.rawValue).sorted())
    #expect(description.list("State") == RequestState.allCases.map(\.rawValue).sorted())
  }

  @Test func namesEveryStatusOfACode() {
    let elsewhere: Set = [405]  // belongs to no operation: see the description's preface
    let documented = Set(description.operations.values.flatMap(\.statuses).compactMap { Int($0) })
    for status in APICode.allCases.map(\.status) where !elsewhere.contains(status) {
      #expect(documented.contains(status))
    }
    for status in ConsentError.Code.allCases.map(\.httpStatus) {
      #expect(documented.contains(status))
    }
  }

  @Test func saysTheLimitsOfAList() {
    let text = description.text
    #expect(text.contains("maximum: \(BrokerLimits.listLimit)\n            default: 50\n"))
    #expect(BrokerLimits.listDefault == 50)
    #expect(text.contains("seconds to wait for a change, at most \(BrokerLimits.longestWait)."))
    #expect(text.contains("{1,\(BrokerLimits.idempotencyKey)}$"))
  }
}

/// As much of the file as the comparison needs, read by its indentation.
struct OpenAPIDescription {
  struct Operation {
    var statuses: [String] = []
    /// It says `security: []`.
    var isOpen = false
  }

  let text: String
  /// By `METHOD /path`.
  private(set) var operations: [String: Operation] = [:]

  init(file: String = #filePath) throws {
    let root = file.split(separator: "/").dropLast(4).joined(separator: "/")
    text = String(
      decoding: try Data(contentsOf: URL(filePath: "/\(root)/docs/openapi.yaml")), as: UTF8.self)
    var path = ""
    var name = ""
    for line in block("paths:", indentedBy: 2) {
      let content = line.drop { $0 == " " }
      switch line.count - content.count {
      case 2: path = String(content.dropLast())
      case 4 where content != "parameters:":
        name = "\(content.dropLast().uppercased()) \(path)"
        operations[name] = Operation()
      case 6 where content == "security: []": operations[name]?.isOpen = true
      case 8 where content.hasPrefix("\""):
        operations[name]?.statuses.append(String(content.dropFirst().prefix(3)))
      default: break
      }
    }
  }

  /// The `enum` of one schema, sorted.
  func list(_ schema: String) -> [String] {
    let lines = block("    \(schema):", indentedBy: 6)
    if let line = lines.first(where: { $0.hasPrefix("      enum: [") }) {
      return line.dropFirst(13).dropLast().split(separator: ",")
        .map { String($0.drop { $0 == " " }) }.sorted()
    }
    return lines.filter { $0.hasPrefix("        - ") }.map { String($0.dropFirst(10)) }.sorted()
  }

  /// The lines below `heading`, as long as they are indented.
  private func block(_ heading: String, indentedBy indent: Int) -> [Substring] {
    let blanks = String(repeating: " ", count: indent)
    return text.split(separator: "\n").drop { $0 != heading }.dropFirst()
      .prefix { $0.hasPrefix(blanks) }.map(\.self)
  }
}
