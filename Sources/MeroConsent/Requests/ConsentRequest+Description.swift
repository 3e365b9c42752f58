extension ConsentRequest: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// `createOrg(name: "Acme")`, a token redacted.
  public var description: String {
    let (kind, list) = fields
    let shown = list.map { "\($0.name.rawValue): \($0.value.shown)" }
    return "\(kind.rawValue)(\(shown.joined(separator: ", ")))"
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror {
    let children = fields.list.map { (label: $0.name.rawValue, value: $0.value.reflected) }
    return Mirror(
      self, children: children.map { (label: Optional($0.label), value: $0.value) },
      displayStyle: .struct)
  }
}

extension ConsentRequestBody: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  public var description: String { request.description }
  public var debugDescription: String { description }
  public var customMirror: Mirror {
    Mirror(self, children: ["request": request], displayStyle: .struct)
  }
}

/// What stands in for a credential wherever one could be printed.
package let redactedMark = "<redacted>"

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
