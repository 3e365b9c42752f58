import HTTP
import Testing

/// What a parser makes of some bytes: requests, and how it ends.
enum Parsed: Equatable, CustomStringConvertible {
  case request(HTTPRequest)
  case refused(Int)
  /// The bytes ended in the middle of a message.
  case incomplete

  var description: String {
    switch self {
    case .request(let request):
      "\(request.method.name) \(request.path) query:\(request.query ?? "-") "
        + "\(request.version) host:\(request.host ?? "-") "
        + request.headers.all.map { "\($0.name)=\($0.value);" }.joined()
        + " \(String(decoding: request.body, as: UTF8.self))"
    case .refused(let status): "refused \(status)"
    case .incomplete: "incomplete"
    }
  }
}

func parse(_ pieces: [some Sequence<UInt8>], limits: HTTPLimits = HTTPLimits()) -> [Parsed] {
  var parser = HTTPRequestParser(limits: limits)
  var head: HTTPRequestHead?
  var result: [Parsed] = []
  do throws(HTTPRefusal) {
    for piece in pieces {
      parser.feed(piece)
      while true {
        if head == nil { head = try parser.nextHead() }
        guard var request = head?.request, let body = try parser.nextBody() else { break }
        request.body = body
        result.append(.request(request))
        head = nil
      }
    }
  } catch {
    return result + [.refused(error.status.code)]
  }
  return parser.isIdle && head == nil ? result : result + [.incomplete]
}

/// Parses `bytes` whole, byte by byte, and cut in two at every place: the answer must be the same.
func parseAtEverySplit(_ bytes: [UInt8], limits: HTTPLimits = HTTPLimits()) -> [Parsed] {
  let whole = parse([bytes], limits: limits)
  let single = parse(bytes.map { [$0] }, limits: limits)
  #expect(single == whole, "byte by byte")
  for cut in bytes.indices.dropFirst() {
    let halves = parse([bytes[..<cut], bytes[cut...]], limits: limits)
    #expect(halves == whole, "cut at \(cut)")
  }
  return whole
}

/// A row of a table of inputs, shown by its name.
struct Input: Sendable, CustomTestStringConvertible {
  let name: String
  let bytes: [UInt8]
  let status: Int

  init(_ name: String, _ text: String, _ status: Int = 400) {
    self.init(name, Array(text.utf8), status)
  }

  init(_ name: String, _ bytes: [UInt8], _ status: Int = 400) {
    self.name = name
    self.bytes = bytes
    self.status = status
  }

  var testDescription: String { name }
}
