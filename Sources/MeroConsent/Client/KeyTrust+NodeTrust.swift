import Crypto
import FoundationEssentials
import Sealed
import TDXQuote

extension KeyTrust {
  /// - Throws: `CONSENT_REQUEST_INVALID` for a key, a register or a status that is none;
  ///   `NODE_UNTRUSTED` for a development node elsewhere, and where nothing is configured.
  /// - Parameter record: is told what the node proves.
  init(
    _ trust: NodeTrust, of node: NodeAddress, verifier: QuoteVerifier,
    now: @escaping @Sendable () -> Date, record: AttestationRecord
  ) throws(ConsentError) {
    switch trust {
    case .transportKey(let hex):
      guard let bytes = Hex.decode(hex), let key = try? X25519.PublicKey(bytes) else {
        throw .requestInvalid("node.trust.transportKey", "is not 64 hex digits")
      }
      self = .pinned(key)
    case .measurements(let images, let statuses):
      let policy = try QuotePolicy(images: images, statuses: statuses)
      self = .attested(
        ImageVerifier(verifier: verifier, policy: policy, now: now, record: record))
    case .development, .unconfigured:
      guard let host = LoopbackHost(node.host) else {
        throw ConsentError(
          .nodeUntrusted,
          advice: trust == .development
            ? "A development node is trusted on this machine only. Configure the node's transport "
              + "key or its measurements."
            : nil)
      }
      self = .attested(MockVerifier(host: host, now: now, record: record))
    }
  }
}

extension QuotePolicy {
  fileprivate init(images: [NodeMeasurements], statuses: [String]) throws(ConsentError) {
    let field = "node.trust.measurements"
    guard !images.isEmpty else { throw .requestInvalid(field, "names no image") }
    guard images.count <= RequestCheck.mostItems else {
      throw .requestInvalid(field, "has more than \(RequestCheck.mostItems) items")
    }
    var trusted: [TrustedImage] = []
    for (index, image) in images.enumerated() {
      trusted.append(
        TrustedImage(
          name: image.name ?? "image \(index + 1)",
          measurements: try Measurements(image, field: "\(field)[\(index)]"),
          allowedStatuses: try image.tcb.map { names throws(ConsentError) in
            try Self.statuses(names, field: "\(field)[\(index)].tcb")
          }))
    }
    let allowed = try Self.statuses(statuses, field: "node.trust.tcb")
    do throws(Misuse) {
      try self.init(images: trusted, allowedStatuses: allowed)
    } catch {
      switch error {
      case .noImages: throw .requestInvalid(field, "names no image")
      case .noStatuses: throw .requestInvalid("node.trust.tcb", "names no status")
      }
    }
  }
}

extension QuotePolicy {
  private static func statuses(
    _ names: [String], field: String
  ) throws(ConsentError) -> Set<TCBStatus> {
    var statuses: Set<TCBStatus> = []
    for (index, name) in names.enumerated() {
      guard let status = TCBStatus.named(name) else {
        throw .requestInvalid("\(field)[\(index)]", "is not a TCB status that is known")
      }
      statuses.insert(status)
    }
    return statuses
  }
}

extension TCBStatus {
  /// Releases list them in lower case.
  fileprivate static func named(_ name: String) -> TCBStatus? {
    allCases.first { $0.rawValue.lowercased() == name.lowercased() }
  }
}

extension NodeMeasurements {
  /// Every status of a platform that can be allowed, as Intel writes it.
  package static let tcbStatuses = TCBStatus.allCases.map(\.rawValue)

  /// Intel's spelling of a status that is written in any case; `nil` for what is none.
  package static func tcbStatus(_ name: String) -> String? { TCBStatus.named(name)?.rawValue }
}

extension Measurements {
  fileprivate init(_ image: NodeMeasurements, field: String) throws(ConsentError) {
    func register(_ name: String, _ hex: String) throws(ConsentError) -> [UInt8] {
      guard let bytes = Hex.decode(hex), bytes.count == Self.registerSize else {
        throw .requestInvalid("\(field).\(name)", "is not 96 hex digits")
      }
      return bytes
    }
    let registers = Measurements(
      mrtd: try register("mrtd", image.mrtd), rtmr0: try register("rtmr0", image.rtmr0),
      rtmr1: try register("rtmr1", image.rtmr1), rtmr2: try register("rtmr2", image.rtmr2),
      rtmr3: try register("rtmr3", image.rtmr3))
    guard let registers else { throw .requestInvalid(field, "has a register of a wrong size") }
    self = registers
  }
}
