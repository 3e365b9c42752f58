import EventLoop
import Glibc
import MeroConsent
import Sealed
import Testing

/// C-154: what is verified, and with what.
@Suite(.timeLimit(.minutes(2))) struct CurlTrustTests {
  @Test(arguments: ["self-signed", "wrong-name", "expired"])
  func refusesACertificateThatDoesNotHold(_ server: String) async throws {
    let carrier = try await TestNode.shared().carrier(server)
    let error = await carrierError { _ = try await carrier.exchange("show") }
    #expect(error == CarrierError(.tls, requestMayHaveLeft: false))
    #expect(error?.detail.hasPrefix("TLS_VERIFY_FAILED") == true)
    await carrier.close()
  }

  @Test func refusesACertificateForAnAddressUnderAnotherName() async throws {
    let node = try await TestNode.shared()
    let carrier = try node.carrier("self-signed", host: "localhost")
    let error = await carrierError { _ = try await carrier.exchange("show") }
    #expect(error?.reason == .tls)
    await carrier.close()
    let right = try node.carrier("node", host: "localhost")
    #expect(try await right.exchange("show").head.status == 200)
    await right.close()
  }

  @Test func aStoreOfOthersDoesNotVouchForTheNode() async throws {
    let node = try await TestNode.shared()
    let other = node.directory + "/self-signed.pem"
    let carrier = CurlCarrier(
      node: try node.address("node"), store: CAStore { $0 == "SSL_CERT_FILE" ? other : nil })
    let error = await carrierError { _ = try await carrier.exchange("show") }
    #expect(error == CarrierError(.tls, requestMayHaveLeft: false))
    await carrier.close()
  }

  @Test func withoutAStoreNothingIsSentOverTLS() async throws {
    let node = try await TestNode.shared()
    let carrier = CurlCarrier(node: try node.address("node"), store: nil)
    let error = await carrierError { _ = try await carrier.exchange("show") }
    #expect(error == CarrierError(.tls, requestMayHaveLeft: false))
    #expect(error?.detail.hasPrefix("TLS_NO_CA_STORE") == true)
    let plain = CurlCarrier(node: try node.address("plain"), store: nil)
    #expect(try await plain.exchange("show").head.status == 200)
  }

  @Test func aStoreThatIsNoneIsNoStore() async throws {
    let node = try await TestNode.shared()
    let script = node.directory + "/node.py"
    let carrier = CurlCarrier(
      node: try node.address("node"), store: CAStore { $0 == "SSL_CERT_FILE" ? script : nil })
    let error = await carrierError { _ = try await carrier.exchange("show") }
    #expect(error?.reason == .tls)
    #expect(error?.detail.hasPrefix("TLS_NO_CA_STORE") == true)
  }

  @Test func theFirstPlaceThatHasAStoreIsUsed() async throws {
    let directory = try await TestNode.shared().directory
    let there = directory + "/authority.pem"
    let store = CAStore(environment: { _ in nil }, places: ["/nonexistent", there, "/etc/passwd"])
    #expect(store?.file == there)
    #expect(store?.directory == nil)
    #expect(CAStore(environment: { _ in nil }, places: ["/nonexistent"]) == nil)
  }

  @Test func aNamedStoreThatIsMissingIsNotReplacedByAnother() async throws {
    let there = try await TestNode.shared().directory + "/authority.pem"
    #expect(CAStore(environment: { _ in "/nonexistent" }, places: [there]) == nil)
  }

  @Test func theEnvironmentOfTheProcessNamesTheStore() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let node = try await TestNode.shared()
      setenv("SSL_CERT_FILE", node.directory + "/authority.pem", 1)
      let carrier = CurlCarrier(node: try node.address("node"))
      guard try await carrier.exchange("show").head.status == 200 else { exit(1) }
      setenv("SSL_CERT_FILE", node.directory + "/self-signed.pem", 1)
      let other = CurlCarrier(node: try node.address("node"))
      let error = await carrierError { _ = try await other.exchange("show") }
      exit(error?.reason == .tls ? 0 : 2)
    }
  }

  @Test func aHandshakeThatIsCutIsNoTLSAndSentNothing() async throws {
    let carrier = try await TestNode.shared().carrier("reset-handshake")
    let error = await carrierError { _ = try await carrier.exchange("show") }
    #expect(error == CarrierError(.tls, requestMayHaveLeft: false))
    await carrier.close()
  }
}
