/// What a platform's certificate is to say about the platform (Intel's extension).
package struct PCKExtensionRecipe: Sendable {
  static let identifier = "1.2.840.113741.1.13.1"

  package var ppid: [UInt8]? = [UInt8](repeating: 0x77, count: 16)
  package var components: [Int] = [5, 5, 2, 2, 3, 1, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0]
  /// Left out: the component with this number, from 1.
  package var missingComponent: Int?
  package var pceSVN = 11
  package var cpuSVN: [UInt8]? = [UInt8](repeating: 5, count: 16)
  package var pceID: [UInt8]? = [0, 0]
  package var fmspc: [UInt8]? = [0x10, 0x20, 0x30, 0x40, 0x50, 0x60]
  /// Put in a second time, with other bytes.
  package var hasSecondFMSPC = false
  /// Behind the sequence.
  package var trailing: [UInt8] = []

  package init() {}

  func value() -> [UInt8] {
    func pair(_ suffix: String, _ value: [UInt8]) -> [UInt8] {
      DERText.sequence(DERText.identifier(Self.identifier + suffix), value)
    }
    var tcb: [UInt8] = []
    for (index, svn) in components.enumerated() where index + 1 != missingComponent {
      tcb += pair(".2.\(index + 1)", DERText.integer(svn))
    }
    tcb += pair(".2.17", DERText.integer(pceSVN))
    if let cpuSVN { tcb += pair(".2.18", DERText.octets(cpuSVN)) }
    var fields: [UInt8] = []
    if let ppid { fields += pair(".1", DERText.octets(ppid)) }
    fields += pair(".2", DERText.sequence(tcb))
    if let pceID { fields += pair(".3", DERText.octets(pceID)) }
    if let fmspc { fields += pair(".4", DERText.octets(fmspc)) }
    if hasSecondFMSPC { fields += pair(".4", DERText.octets([1, 2, 3, 4, 5, 6])) }
    fields += pair(".5", DERText.value(0x0a, [1]))  // the SGX type, which nobody asks for
    return DERText.sequence(fields) + trailing
  }
}
