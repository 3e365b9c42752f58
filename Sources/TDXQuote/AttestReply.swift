/// A node's answer to the attestation call, as far as its collateral goes.
package enum AttestReply {
  /// The bytes of `data.collateral`, as the node wrote them: what `QuoteVerifier` is given.
  ///
  /// - Returns: `nil` where there is none, and where the answer is no JSON object of this form.
  package static func collateral(in reply: [UInt8]) -> [UInt8]? {
    do throws(JSONMismatch) {
      var collateral: [UInt8]?
      try JSONReader.document(reply) { (name, value) throws(JSONMismatch) in
        guard name == "data" else { return try value.skip() }
        try value.object { (name, value) throws(JSONMismatch) in
          guard name == "collateral" else { return try value.skip() }
          // Given twice it could be read in two ways.
          guard collateral == nil else { throw JSONMismatch() }
          collateral = try value.raw()
        }
      }
      return collateral
    } catch {
      return nil
    }
  }
}
