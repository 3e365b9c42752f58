extension ConsentRequest: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// `createOrg(name: "Acme")`, a token redacted.
  public var description: String {
    let (kind, list) = fields
    return "\(kind.rawValue)(\(shown(list)))"
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror { mirror(of: self, fields.list) }
}

extension ConsentRequestBody: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  public var description: String { "\(request.kind.rawValue)(\(shown(fields)))" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { mirror(of: self, fields) }
}

/// What stands in for a credential wherever one could be printed.
package let redactedMark = "<redacted>"

private func shown(_ fields: [ConsentRequest.NamedField]) -> String {
  fields.map { "\($0.name.rawValue): \($0.value.shown)" }.joined(separator: ", ")
}

private func mirror(of subject: some Any, _ fields: [ConsentRequest.NamedField]) -> Mirror {
  let children = fields.map { (label: Optional($0.name.rawValue), value: $0.value.reflected) }
  return Mirror(subject, children: children, displayStyle: .struct)
}

extension ConsentFieldValue {
  fileprivate var shown: String {
    switch self {
    case .text(let text): "\"\(text)\""
    case .secret: redactedMark
    case .number(let number): "\(number)"
    case .flag(let flag): "\(flag)"
    case .mask(let mask): "\(mask.rawValue)"
    case .list(let items): "\(items)"
    case .rows(let rows): "\(rows)"
    }
  }

  fileprivate var reflected: Any {
    switch self {
    case .text(let text): text
    case .secret: redactedMark
    case .number(let number): number
    case .flag(let flag): flag
    case .mask(let mask): mask
    case .list(let items): items
    case .rows(let rows): rows
    }
  }
}
