/// The five registers that say what a TD runs, 48 bytes each.
package struct Measurements: Hashable, Sendable {
  /// Bytes in one register (SHA-384).
  package static let registerSize = 48

  package let mrtd: [UInt8]
  package let rtmr0: [UInt8]
  package let rtmr1: [UInt8]
  package let rtmr2: [UInt8]
  package let rtmr3: [UInt8]

  /// - Returns: `nil` unless every register has 48 bytes.
  package init?(
    mrtd: [UInt8], rtmr0: [UInt8], rtmr1: [UInt8], rtmr2: [UInt8], rtmr3: [UInt8]
  ) {
    for register in [mrtd, rtmr0, rtmr1, rtmr2, rtmr3] where register.count != Self.registerSize {
      return nil
    }
    self.mrtd = mrtd
    self.rtmr0 = rtmr0
    self.rtmr1 = rtmr1
    self.rtmr2 = rtmr2
    self.rtmr3 = rtmr3
  }

  /// The registers by the names that releases and nodes give them.
  package var named: [(name: String, bytes: [UInt8])] {
    [("mrtd", mrtd), ("rtmr0", rtmr0), ("rtmr1", rtmr1), ("rtmr2", rtmr2), ("rtmr3", rtmr3)]
  }
}
