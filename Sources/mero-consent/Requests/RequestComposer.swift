import EventLoop
import FoundationEssentials
import MeroConsent

/// Makes a request of a command line's options: as the JSON that the guide describes, which the
/// library then reads as strictly as any other.
enum RequestComposer {
  /// - Throws: `USAGE` naming the option; `CONSENT_REQUEST_INVALID`.
  @LoopActor static func request(
    _ kind: ConsentKind, _ arguments: ParsedArguments, on terminal: Terminal
  ) throws(CommandFailure) -> ConsentRequest {
    var body = RequestFields(kind: kind)
    for field in KindFields.fields(of: kind) + [KindFields.returnTo] {
      body.values[field.field] = try value(of: field, arguments, on: terminal)
      if body.values[field.field] == nil, field.isRequired {
        throw .usage("--\(field.option.name) or --\(field.negation.name) has to be given")
      }
    }
    do {
      let data = try JSONEncoder().encode(body)
      return try JSONDecoder().decode(ConsentRequestBody.self, from: data).request
    } catch let error as ConsentError {
      throw CommandFailure(error)
    } catch {
      throw CommandFailure(ConsentError(.requestInvalid))
    }
  }

  @LoopActor private static func value(
    of field: KindField, _ arguments: ParsedArguments, on terminal: Terminal
  ) throws(CommandFailure) -> RequestFields.Value? {
    let option = field.option
    switch field.form {
    case .text: return arguments.value(option).map { .text($0) }
    case .secret:
      guard let source = arguments.value(option) else { return nil }
      return .text(try SecretInput.read(source, called: "token", on: terminal))
    case .number:
      guard let text = arguments.value(option) else { return nil }
      guard let number = Int(text), String(number) == text else {
        throw .usage("--\(option.name): “\(text)” is not a whole number")
      }
      return .number(number)
    case .flag:
      let (yes, no) = (arguments.has(option), arguments.has(field.negation))
      guard !(yes && no) else {
        throw .usage("--\(option.name) and --\(field.negation.name) exclude each other")
      }
      return yes || no ? .flag(yes) : nil
    case .capabilities:
      guard let text = arguments.value(option) else { return nil }
      return .mask(try CapabilityNames.mask(text, of: option.name).rawValue)
    case .texts: return arguments.has(option) ? .texts(arguments.values(option)) : nil
    case .rows:
      guard arguments.has(option) else { return nil }
      var rows: [RequestFields.Row] = []
      for text in arguments.values(option) { rows.append(try row(text, of: option.name)) }
      return .rows(rows)
    }
  }

  /// `t1`, `t1:member`, `t1:member:inviteMembers`, `t1::inviteMembers`.
  private static func row(
    _ text: String, of option: String
  ) throws(CommandFailure) -> RequestFields.Row {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count <= 3 else {
      throw .usage("--\(option): “\(text)” has more parts than TEAM:ROLE:CAPABILITIES")
    }
    return RequestFields.Row(
      team: parts[0], role: parts.count > 1 && !parts[1].isEmpty ? parts[1] : nil,
      capabilities: parts.count > 2 ? try CapabilityNames.mask(parts[2], of: option).rawValue : nil)
  }
}

/// The body of a request while it is put together.
private struct RequestFields: Encodable {
  enum Value {
    case text(String)
    case number(Int)
    case flag(Bool)
    case mask(UInt32)
    case texts([String])
    case rows([Row])
  }

  struct Row: Encodable {
    let team: String
    let role: String?
    let capabilities: UInt32?
  }

  let kind: ConsentKind
  var values: [ConsentField: Value] = [:]

  func encode(to encoder: any Encoder) throws {
    var body = encoder.container(keyedBy: ConsentField.self)
    try body.encode(kind.rawValue, forKey: .kind)
    for (field, value) in values {
      switch value {
      case .text(let text): try body.encode(text, forKey: field)
      case .number(let number): try body.encode(number, forKey: field)
      case .flag(let flag): try body.encode(flag, forKey: field)
      case .mask(let mask): try body.encode(mask, forKey: field)
      case .texts(let texts): try body.encode(texts, forKey: field)
      case .rows(let rows): try body.encode(rows, forKey: field)
      }
    }
  }
}

extension CommandFailure {
  init(_ error: ConsentError) {
    self.init(
      ExitCode(error.code), code: error.code.rawValue, error.advice, field: error.field)
  }
}
