import COpenSSL
import TestPKI

/// What OpenSSL alone takes for a quote's signatures and chains: `X509_verify_cert` with
/// revocation for the four chains, and four ECDSA verifications. Nothing of the quote, of JSON or
/// of an appraisal.
final class Baseline {
  /// A signature, ready to be verified.
  struct Signature {
    let key: SigningKey
    let der: [UInt8]
    let message: [UInt8]

    init(by key: SigningKey, over message: [UInt8]) {
      self.key = key
      self.message = message
      der = key.sign(message)
    }
  }

  private let evidence: Evidence
  private let signatures: [Signature]
  private let now: Int
  private let parsed: Parsed

  init(_ evidence: Evidence, signatures: [Signature], now: Int64) {
    self.evidence = evidence
    self.signatures = signatures
    self.now = Int(now)
    parsed = Parsed(evidence)
  }

  /// Only what is cryptography: certificates and lists were parsed before, once for all rounds.
  func verifyParsed() -> Bool { holds(parsed) }

  /// Certificates and lists parsed from DER in each round, as a caller of OpenSSL has to.
  func parseAndVerify() -> Bool { holds(Parsed(evidence)) }

  private func holds(_ parsed: Parsed) -> Bool {
    parsed.chains.allSatisfy { holds($0, parsed.store) }
      && signatures.allSatisfy { Self.verify($0) }
  }

  private func holds(_ chain: [OpaquePointer], _ store: OpaquePointer) -> Bool {
    guard let untrusted = OPENSSL_sk_new_null(), let context = X509_STORE_CTX_new() else {
      return false
    }
    defer {
      X509_STORE_CTX_free(context)
      OPENSSL_sk_free(untrusted)
    }
    for certificate in chain.dropFirst() {
      OPENSSL_sk_push(untrusted, UnsafeRawPointer(certificate))
    }
    X509_STORE_CTX_init(context, store, chain[0], untrusted)
    X509_STORE_CTX_set_time(context, 0, now)
    X509_STORE_CTX_set_flags(
      context,
      UInt(X509_V_FLAG_X509_STRICT | X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL))
    return X509_verify_cert(context) == 1
  }

  private static func verify(_ signature: Signature) -> Bool {
    signature.key.withHandle { key in
      guard let context = EVP_MD_CTX_new() else { return false }
      defer { EVP_MD_CTX_free(context) }
      return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
        && EVP_DigestVerify(
          context, signature.der, signature.der.count, signature.message,
          signature.message.count) == 1
    }
  }
}

/// OpenSSL's objects of one piece of evidence.
private final class Parsed {
  let store: OpaquePointer
  let chains: [[OpaquePointer]]

  init(_ evidence: Evidence) {
    guard let store = X509_STORE_new() else { preconditionFailure("no store") }
    self.store = store
    chains = evidence.chains.map { $0.map { Self.certificate($0) } }
    X509_STORE_add_cert(store, chains[0][1])
    for der in evidence.lists {
      let list = der.withUnsafeBufferPointer { bytes in
        var cursor = bytes.baseAddress
        return d2i_X509_CRL(nil, &cursor, bytes.count)
      }
      X509_STORE_add_crl(store, list)
      X509_CRL_free(list)
    }
  }

  deinit {
    for certificate in chains.joined() { X509_free(certificate) }
    X509_STORE_free(store)
  }

  private static func certificate(_ der: [UInt8]) -> OpaquePointer {
    let certificate = der.withUnsafeBufferPointer { bytes in
      var cursor = bytes.baseAddress
      return d2i_X509(nil, &cursor, bytes.count)
    }
    guard let certificate else { preconditionFailure("no certificate") }
    return certificate
  }
}
