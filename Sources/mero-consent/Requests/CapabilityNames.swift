import MeroConsent

/// Capabilities as words.
enum CapabilityNames {
  static let all: [(name: String, value: OrgCapabilities)] = [
    ("createContext", .createContext), ("inviteMembers", .inviteMembers),
    ("joinOpenSubgroups", .joinOpenSubgroups), ("manageMembers", .manageMembers),
    ("manageApplication", .manageApplication), ("createSubgroup", .createSubgroup),
    ("deleteSubgroup", .deleteSubgroup), ("manageVisibility", .manageVisibility),
    ("manageMetadata", .manageMetadata), ("authorOnBehalf", .authorOnBehalf),
  ]

  /// `inviteMembers,manage-members`, `none`, `10`, `0xa`.
  ///
  /// - Throws: what is wrong with it.
  static func mask(_ text: String, of option: String) throws(CommandFailure) -> OrgCapabilities {
    if text == "none" { return [] }
    if let number = number(text) { return OrgCapabilities(rawValue: number) }
    var mask: OrgCapabilities = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard
        let known = all.first(where: {
          $0.name == word || Spelling.dashed($0.name) == String(word)
        })
      else {
        let near = Nearest.word(to: String(word), of: all.map(\.name))
        throw .usage(
          "--\(option): “\(word)” is no capability, and no number of 32 bits",
          hint: near.map { "Did you mean \($0)?" })
      }
      mask.formUnion(known.value)
    }
    return mask
  }

  private static func number(_ text: String) -> UInt32? {
    guard let first = text.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
    else { return nil }
    return text.hasPrefix("0x") ? UInt32(text.dropFirst(2), radix: 16) : UInt32(text)
  }
}
