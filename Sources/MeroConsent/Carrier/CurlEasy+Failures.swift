import CCurl
import Sealed

extension CurlEasy {
  /// What a result of libcurl other than `CURLE_OK` means for a transfer.
  borrowing func failure(
    of code: CURLcode, mayHaveLeft: Bool
  ) -> (CarrierError.Reason, String) {
    let text = description(of: code)
    return switch code {
    case CURLE_COULDNT_RESOLVE_HOST: (.nameNotFound, text)
    case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY, CURLE_INTERFACE_FAILED:
      (.notConnected, text)
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
      (.tls, "TLS_VERIFY_FAILED: " + text)
    case CURLE_SSL_CACERT_BADFILE: (.tls, Self.noCAStore + ": " + text)
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED:
      (.tls, text)
    case CURLE_OPERATION_TIMEDOUT: (.timedOut, text)
    // An answer without a status line (HTTP/0.9) is an unsupported protocol for libcurl.
    case CURLE_UNSUPPORTED_PROTOCOL where mayHaveLeft: (.notHTTP, text)
    case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING: (.notHTTP, text)
    default: (mayHaveLeft ? .cut : .notConnected, text)
    }
  }

  static var noCAStore: String { "TLS_NO_CA_STORE" }
}
