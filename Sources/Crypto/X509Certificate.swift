import COpenSSL

/// One X.509 certificate (RFC 5280). The one owner of OpenSSL's object.
///
/// It answers questions; which answers are right is for whoever builds a chain of it.
package struct X509Certificate: ~Copyable, @unchecked Sendable {
  // @unchecked: nothing is changed after `init`. What OpenSSL works out late it keeps in the object
  // under the object's own lock, and `init` has had it work out the extensions.

  /// The longest certificate that is read, in bytes; Intel's have less than 1400. OpenSSL makes
  /// objects of many times the size of what it reads, so this bounds its memory.
  package static let sizeLimit = 4096
  private static let depthLimit = 12
  private static let valueLimit = 400

  private let handle: OpaquePointer
  private let flags: UInt32
  /// Unix seconds; the certificate holds from the first to the last, both included.
  package let notBefore: Int64
  package let notAfter: Int64

  deinit { libcrypto { X509_free(handle) } }

  /// - Returns: `nil` when `der` is not one certificate to its last byte, when its extensions are
  ///   malformed, or when its dates are no dates.
  package init?(der: some Collection<UInt8>) {
    let der = Array(der)
    guard der.count <= Self.sizeLimit,
      DER.isOneValue(der[...], depthLimit: Self.depthLimit, valueLimit: Self.valueLimit),
      let handle = libcrypto({ Self.parse(der) })
    else { return nil }
    let flags = libcrypto { X509_get_extension_flags(handle) }
    guard flags & UInt32(EXFLAG_INVALID | EXFLAG_INVALID_POLICY) == 0,
      let notBefore = libcrypto({ Self.seconds(X509_get0_notBefore(handle)) }),
      let notAfter = libcrypto({ Self.seconds(X509_get0_notAfter(handle)) })
    else {
      libcrypto { X509_free(handle) }
      return nil
    }
    self.handle = handle
    self.flags = flags
    self.notBefore = notBefore
    self.notAfter = notAfter
  }

  private static func parse(_ der: [UInt8]) -> OpaquePointer? {
    der.withUnsafeBufferPointer { bytes in
      var cursor = bytes.baseAddress
      guard let handle = d2i_X509(nil, &cursor, bytes.count) else { return nil }
      // "d2i functions read a prefix": the cursor has moved behind what was read.
      guard let base = bytes.baseAddress, cursor == base + bytes.count else {
        X509_free(handle)
        return nil
      }
      return handle
    }
  }

  /// An ASN1_TIME in the two forms that certificates may have.
  static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
    guard let time, let data = ASN1_STRING_get0_data(time) else { return nil }
    let text = UnsafeBufferPointer(start: data, count: Int(ASN1_STRING_length(time)))
    switch ASN1_STRING_type(time) {
    case V_ASN1_UTCTIME: return UnixTime.utcTime(text)
    case V_ASN1_GENERALIZEDTIME: return UnixTime.generalizedTime(text)
    default: return nil
    }
  }
}

extension X509Certificate {
  /// X.509 version 3, a P-256 key on the named curve, signed with ecdsa-with-SHA256.
  package var isVersion3OnP256: Bool {
    libcrypto {
      guard X509_get_version(handle) == X509_VERSION_3,
        X509_get_signature_nid(handle) == NID_ecdsa_with_SHA256,
        let key = X509_get0_pubkey(handle)
      else { return false }
      return Self.isOnP256(key)
    }
  }

  /// Whether it has a critical extension that OpenSSL does not know.
  package var hasUnknownCriticalExtension: Bool { flags & UInt32(EXFLAG_CRITICAL) != 0 }

  package var isCA: Bool { flags & UInt32(EXFLAG_CA) != 0 }

  /// A CA whose key usage, which must be there, covers certificates and revocation lists.
  package var isCAForCertificatesAndLists: Bool {
    isCA && usageIncludes(KU_KEY_CERT_SIGN | KU_CRL_SIGN)
  }

  /// The key usage must be there and include digital signatures.
  package var mayMakeDigitalSignatures: Bool { usageIncludes(KU_DIGITAL_SIGNATURE) }

  private func usageIncludes(_ bits: CInt) -> Bool {
    guard flags & UInt32(EXFLAG_KUSAGE) != 0 else { return false }
    return libcrypto { X509_get_key_usage(handle) } & UInt32(bits) == UInt32(bits)
  }

  /// The subject's common name, `nil` unless there is exactly one, in an ASCII-compatible form.
  package var commonName: String? {
    libcrypto {
      guard let name = X509_get_subject_name(handle) else { return nil }
      let index = X509_NAME_get_index_by_NID(name, NID_commonName, -1)
      guard index >= 0, X509_NAME_get_index_by_NID(name, NID_commonName, index) < 0,
        let value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index)),
        ASN1_STRING_type(value) == V_ASN1_UTF8STRING
          || ASN1_STRING_type(value) == V_ASN1_PRINTABLESTRING,
        let data = ASN1_STRING_get0_data(value)
      else { return nil }
      let text = UnsafeBufferPointer(start: data, count: Int(ASN1_STRING_length(value)))
      return String(validating: text, as: UTF8.self)
    }
  }

  /// Whether the issuer's name here is the subject's name there. Says nothing about signatures.
  package borrowing func namesAsIssuer(_ issuer: borrowing X509Certificate) -> Bool {
    libcrypto {
      X509_NAME_cmp(X509_get_issuer_name(handle), X509_get_subject_name(issuer.handle)) == 0
    }
  }

  /// Whether it names itself as its issuer, and its own key verifies its signature.
  package var isSelfSigned: Bool {
    libcrypto {
      guard let key = X509_get0_pubkey(handle) else { return false }
      return X509_NAME_cmp(X509_get_issuer_name(handle), X509_get_subject_name(handle)) == 0
        && X509_verify(handle, key) == 1
    }
  }

  /// The contents of every extension with this object identifier, in order.
  ///
  /// - Parameter identifier: the contents of its DER value.
  package func extensions(_ identifier: [UInt8]) -> [[UInt8]] {
    libcrypto {
      var found: [[UInt8]] = []
      for index in 0..<X509_get_ext_count(handle) {
        guard let entry = X509_get_ext(handle, index),
          let object = X509_EXTENSION_get_object(entry),
          let data = OBJ_get0_data(object),
          UnsafeBufferPointer(start: data, count: OBJ_length(object)).elementsEqual(identifier),
          let value = X509_EXTENSION_get_data(entry), let contents = ASN1_STRING_get0_data(value)
        else { continue }
        found.append(
          Array(UnsafeBufferPointer(start: contents, count: Int(ASN1_STRING_length(value)))))
      }
      return found
    }
  }

  /// - Returns: `nil` when the key is not on P-256.
  package borrowing func publicKey() -> ECDSAP256.PublicKey? {
    let key: OpaquePointer? = libcrypto {
      guard let key = X509_get_pubkey(handle) else { return nil }
      guard Self.isOnP256(key) else {
        EVP_PKEY_free(key)
        return nil
      }
      return key
    }
    guard let key else { return nil }
    return ECDSAP256.PublicKey(adopting: key)
  }

  /// Lends OpenSSL's object to the files of this room. The pointer must not leave `body`.
  borrowing func withHandle<R>(_ body: (OpaquePointer) -> R) -> R { body(handle) }

  private static func isOnP256(_ key: OpaquePointer) -> Bool {
    guard EVP_PKEY_get_id(key) == EVP_PKEY_EC else { return false }
    var isExplicit: CInt = 0
    guard
      EVP_PKEY_get_int_param(key, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, &isExplicit)
        == 1, isExplicit == 0
    else { return false }
    var name = [CChar](repeating: 0, count: 32)
    var length = 0
    guard EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else { return false }
    return name.prefix(length).elementsEqual(SN_X9_62_prime256v1.utf8.map { CChar(bitPattern: $0) })
  }
}
