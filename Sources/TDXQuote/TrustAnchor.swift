import Crypto

/// The certificate that every chain must end in, byte for byte.
package final class TrustAnchor: Sendable {
  let der: [UInt8]
  let certificate: X509Certificate
  /// Chains are verified to it, and to nothing else.
  let store: CertificateStore
  /// Whether it is a root that chains can end in: version 3 on P-256, signed by itself, a CA for
  /// certificates and lists, and nothing critical about it that is not understood.
  let isSound: Bool

  /// - Returns: `nil` when `der` is no certificate.
  package init?(der: [UInt8]) {
    guard let certificate = X509Certificate(der: der) else { return nil }
    self.der = der
    isSound =
      certificate.isVersion3OnP256 && certificate.isCAForCertificatesAndLists
      && !certificate.hasUnknownCriticalExtension && certificate.isSelfSigned
    store = CertificateStore(root: certificate)
    self.certificate = certificate
  }

  /// Intel SGX Root CA, valid until 2049-12-31, as Intel publishes it.
  /// SHA-256: 44a0196b2b99f889b8e149e95b807a350e7424964399e885a7cbb8ccfab674d3.
  static let intelSGXRoot: TrustAnchor = {
    let text = intelSGXRootText.filter { !$0.isNewline }
    guard let der = Base64.decode(text), let anchor = TrustAnchor(der: der) else {
      preconditionFailure("Intel's root is a constant of this program")
    }
    return anchor
  }()

  private static let intelSGXRootText = """
    MIICjzCCAjSgAwIBAgIUImUM1lqdNInzg7SVUr9QGzknBqwwCgYIKoZIzj0EAwIwaDEaMBgGA1UEAwwR
    SW50ZWwgU0dYIFJvb3QgQ0ExGjAYBgNVBAoMEUludGVsIENvcnBvcmF0aW9uMRQwEgYDVQQHDAtTYW50
    YSBDbGFyYTELMAkGA1UECAwCQ0ExCzAJBgNVBAYTAlVTMB4XDTE4MDUyMTEwNDUxMFoXDTQ5MTIzMTIz
    NTk1OVowaDEaMBgGA1UEAwwRSW50ZWwgU0dYIFJvb3QgQ0ExGjAYBgNVBAoMEUludGVsIENvcnBvcmF0
    aW9uMRQwEgYDVQQHDAtTYW50YSBDbGFyYTELMAkGA1UECAwCQ0ExCzAJBgNVBAYTAlVTMFkwEwYHKoZI
    zj0CAQYIKoZIzj0DAQcDQgAEC6nEwMDIYZOj/iPWsCzaEKi71OiOSLRFhWGjbnBVJfVnkY4u3IjkDYYL
    0MxO4mqsyYjlBalTVYxFP2sJBK5zlKOBuzCBuDAfBgNVHSMEGDAWgBQiZQzWWp00ifODtJVSv1AbOScG
    rDBSBgNVHR8ESzBJMEegRaBDhkFodHRwczovL2NlcnRpZmljYXRlcy50cnVzdGVkc2VydmljZXMuaW50
    ZWwuY29tL0ludGVsU0dYUm9vdENBLmRlcjAdBgNVHQ4EFgQUImUM1lqdNInzg7SVUr9QGzknBqwwDgYD
    VR0PAQH/BAQDAgEGMBIGA1UdEwEB/wQIMAYBAf8CAQEwCgYIKoZIzj0EAwIDSQAwRgIhAOW/5QkR+S9C
    iSDcNoowLuPRLsWGf/Yi7GSX94BgwTwgAiEA4J0lrHoMs+Xo5o/sX6O9QWxHRAvZUGOdRQ7cvqRXaqI=
    """
}
