import COpenSSL

/// Algorithms, looked up in libcrypto's provider once: to name one in a call looks it up by its
/// name each time, which takes longer than to hash a short message with it.
///
/// `nonisolated(unsafe)`: nothing changes these objects after they were made, and the library
/// counts its references to them atomically. They live as long as the process.
enum Algorithms {
  nonisolated(unsafe) static let sha256 = libcrypto {
    mustExist(EVP_MD_fetch(nil, "SHA256", nil), "EVP_MD_fetch")
  }

  nonisolated(unsafe) static let aes256GCM = libcrypto {
    mustExist(EVP_CIPHER_fetch(nil, "AES-256-GCM", nil), "EVP_CIPHER_fetch")
  }

  /// HMAC that has its hash and no key. Each use makes a copy, which costs less than to look the
  /// hash up again, and never a key in this one.
  nonisolated(unsafe) static let hmacSHA256 = libcrypto {
    let hmac = mustExist(EVP_MAC_fetch(nil, "HMAC", nil), "EVP_MAC_fetch")
    defer { EVP_MAC_free(hmac) }
    let context = mustExist(EVP_MAC_CTX_new(hmac), "EVP_MAC_CTX_new")
    mustSucceed(copenssl_mac_set_digest(context, "SHA256"), "EVP_MAC_CTX_set_params")
    return context
  }
}
