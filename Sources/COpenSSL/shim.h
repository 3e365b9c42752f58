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

// EVP_PKEY_PUBLIC_KEY is a macro of macros, which Swift does not import.
static const int copenssl_public_key_selection = EVP_PKEY_PUBLIC_KEY;
