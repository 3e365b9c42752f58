import COpenSSL

/// A certificate revocation list (RFC 5280, section 5) whose signature has verified. The one owner
/// of OpenSSL's object.
package struct CRL: ~Copyable {
  /// ecdsa-with-SHA256 as an AlgorithmIdentifier, which has no parameters (RFC 5758).
  private static let algorithm: [UInt8] = [
    0x30, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02,
  ]

  private let handle: OpaquePointer
  private let der: [UInt8]
  /// Unix seconds; the list holds from the first to the last, both included.
  package let thisUpdate: Int64
  package let nextUpdate: Int64

  deinit { libcrypto { X509_CRL_free(handle) } }

  /// The signature is verified before the list is parsed: OpenSSL makes some hundred bytes of
  /// objects for each entry of perhaps twenty, and nobody but the issuer shall have it do that.
  ///
  /// - Parameter key: the issuer's.
  /// - Returns: `nil` unless `der` is one list to its last byte, named and signed by `issuer`,
  ///   with a CRL number, an authority key identifier, a next update and no critical extension.
  package init?(
    der: [UInt8], issuer: borrowing X509Certificate, key: borrowing ECDSAP256.PublicKey
  ) {
    guard Self.isSigned(der, by: key), let handle = libcrypto({ Self.parse(der) })
    else { return nil }
    let isSound = issuer.withHandle { issuer in
      libcrypto { Self.isSound(handle, issuer: issuer) }
    }
    guard isSound,
      let thisUpdate = libcrypto({ X509Certificate.seconds(X509_CRL_get0_lastUpdate(handle)) }),
      let nextUpdate = libcrypto({ X509Certificate.seconds(X509_CRL_get0_nextUpdate(handle)) })
    else {
      libcrypto { X509_CRL_free(handle) }
      return nil
    }
    self.handle = handle
    self.der = der
    self.thisUpdate = thisUpdate
    self.nextUpdate = nextUpdate
  }

  /// Whether the signature verifies with `key`, which may be another than the one at `init`.
  package borrowing func isSigned(by key: borrowing ECDSAP256.PublicKey) -> Bool {
    Self.isSigned(der, by: key)
  }

  /// Whether the list names `certificate`'s issuer as its own.
  package borrowing func isOfIssuer(of certificate: borrowing X509Certificate) -> Bool {
    certificate.withHandle { certificate in
      libcrypto {
        X509_NAME_cmp(X509_CRL_get_issuer(handle), X509_get_issuer_name(certificate)) == 0
      }
    }
  }

  /// Whether the certificate's serial number is in the list, whatever the reason given there
  /// (OpenSSL's own look-up leaves out `removeFromCRL`).
  package borrowing func lists(_ certificate: borrowing X509Certificate) -> Bool {
    certificate.withHandle { certificate in
      libcrypto {
        let serial = X509_get0_serialNumber(certificate)
        let entries = X509_CRL_get_REVOKED(handle)
        // The number of an absent list is -1.
        for index in 0..<max(0, OPENSSL_sk_num(entries)) {
          guard let entry = OPENSSL_sk_value(entries, index) else { continue }
          let revoked = X509_REVOKED_get0_serialNumber(OpaquePointer(entry))
          if ASN1_INTEGER_cmp(revoked, serial) == 0 { return true }
        }
        return false
      }
    }
  }

  private static func isSigned(_ der: [UInt8], by key: borrowing ECDSAP256.PublicKey) -> Bool {
    var outer = DERReader(der)
    guard let list = outer.next(DERTag.sequence), outer.isAtEnd else { return false }
    var parts = DERReader(list.contents)
    guard let toBeSigned = parts.next(DERTag.sequence), let algorithm = parts.next(),
      algorithm.encoding.elementsEqual(Self.algorithm),
      let signature = parts.next(DERTag.bitString), parts.isAtEnd,
      signature.contents.first == 0  // no unused bits
    else { return false }
    var fields = DERReader(toBeSigned.contents)
    guard fields.next(DERTag.integer) != nil,  // the version, there in every list with extensions
      let inner = fields.next(), inner.encoding.elementsEqual(Self.algorithm)
    else { return false }
    return key.isSignature(der: signature.contents.dropFirst(), over: toBeSigned.encoding)
  }

  private static func parse(_ der: [UInt8]) -> OpaquePointer? {
    der.withUnsafeBufferPointer { bytes in
      var cursor = bytes.baseAddress
      guard let handle = d2i_X509_CRL(nil, &cursor, bytes.count) else { return nil }
      guard let base = bytes.baseAddress, cursor == base + bytes.count else {
        X509_CRL_free(handle)
        return nil
      }
      return handle
    }
  }

  private static func isSound(_ list: OpaquePointer, issuer: OpaquePointer) -> Bool {
    guard X509_NAME_cmp(X509_CRL_get_issuer(list), X509_get_subject_name(issuer)) == 0,
      X509_CRL_get_ext_by_NID(list, NID_crl_number, -1) >= 0,
      X509_CRL_get_ext_by_NID(list, NID_authority_key_identifier, -1) >= 0
    else { return false }
    for index in 0..<X509_CRL_get_ext_count(list)
    where X509_EXTENSION_get_critical(X509_CRL_get_ext(list, index)) != 0 { return false }
    let entries = X509_CRL_get_REVOKED(list)
    for index in 0..<max(0, OPENSSL_sk_num(entries)) {
      guard let entry = OPENSSL_sk_value(entries, index).map({ OpaquePointer($0) }) else {
        return false
      }
      // A critical one would change what the entry means, as for lists of several issuers.
      for extensionIndex in 0..<X509_REVOKED_get_ext_count(entry)
      where X509_EXTENSION_get_critical(X509_REVOKED_get_ext(entry, extensionIndex)) != 0 {
        return false
      }
    }
    return true
  }
}
