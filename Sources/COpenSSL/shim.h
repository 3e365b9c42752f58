// OpenSSL's libcrypto, and inline functions for what it offers as macros.
#pragma once
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// The list of parameters that a call takes is built by functions that take no constant strings.
static inline int copenssl_mac_set_digest(EVP_MAC_CTX *context, const char *digest) {
  OSSL_PARAM params[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)digest, 0),
      OSSL_PARAM_construct_end()};
  return EVP_MAC_CTX_set_params(context, params);
}

// EVP_PKEY_PUBLIC_KEY is a macro of macros, which Swift does not import.
static const int copenssl_public_key_selection = EVP_PKEY_PUBLIC_KEY;
