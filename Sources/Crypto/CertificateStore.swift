import COpenSSL

/// The one root that chains are verified to, in a store of OpenSSL's.
///
/// Covers signatures, issuers' names and key identifiers, path lengths, unknown critical
/// extensions and the rules that OpenSSL calls strict (RFC 5280). Dates are not judged here: at
/// the very second of `notAfter` OpenSSL says "expired", and an order of verdicts is the caller's.
package struct CertificateStore: ~Copyable, @unchecked Sendable {
  // @unchecked: never changed after `init`; each verification has a context of its own, and the
  // store locks itself.

  private let store: OpaquePointer

  deinit { libcrypto { X509_STORE_free(store) } }

  package init(root: borrowing X509Certificate) {
    store = libcrypto {
      let store = mustExist(X509_STORE_new(), "X509_STORE_new")
      root.withHandle { mustSucceed(X509_STORE_add_cert(store, $0), "X509_STORE_add_cert") }
      return store
    }
  }

  /// Whether the root itself issued `certificate`.
  package borrowing func issued(_ certificate: borrowing X509Certificate) -> Bool {
    certificate.withHandle { leaf in libcrypto { verifies(leaf, through: nil, length: 2) } }
  }

  /// Whether the root issued `intermediate`, and that `certificate`.
  package borrowing func issued(
    _ certificate: borrowing X509Certificate, through intermediate: borrowing X509Certificate
  ) -> Bool {
    certificate.withHandle { leaf in
      intermediate.withHandle { issuer in
        libcrypto { verifies(leaf, through: issuer, length: 3) }
      }
    }
  }

  private borrowing func verifies(
    _ leaf: OpaquePointer, through intermediate: OpaquePointer?, length: CInt
  ) -> Bool {
    let untrusted = mustExist(OPENSSL_sk_new_null(), "OPENSSL_sk_new_null")
    // Frees the stack alone: the certificates stay their owners'.
    defer { OPENSSL_sk_free(untrusted) }
    if let intermediate {
      precondition(OPENSSL_sk_push(untrusted, UnsafeRawPointer(intermediate)) > 0)
    }
    let context = mustExist(X509_STORE_CTX_new(), "X509_STORE_CTX_new")
    defer { X509_STORE_CTX_free(context) }
    mustSucceed(X509_STORE_CTX_init(context, store, leaf, untrusted), "X509_STORE_CTX_init")
    X509_STORE_CTX_set_flags(
      context, UInt(X509_V_FLAG_X509_STRICT) | UInt(X509_V_FLAG_NO_CHECK_TIME))
    guard X509_verify_cert(context) == 1, let chain = X509_STORE_CTX_get0_chain(context) else {
      return false
    }
    return OPENSSL_sk_num(chain) == length
  }
}
