import COpenSSL
import Crypto
import Testing

/// The error list is per thread and is not emptied by itself. Whatever was left there must not
/// reach our operations, and nothing of ours may be left there for libcurl to find.
@Suite struct ErrorQueueTests {
  enum Operation: CaseIterable {
    case hash, code, agreement, lowOrderAgreement, seal, open, forgedOpen, random, comparison
  }

  @Test(arguments: Operation.allCases)
  func clearsTheQueueBeforeAndAfter(operation: Operation) throws {
    leaveAnError()
    try #require(ERR_peek_error() != 0)
    try perform(operation)
    #expect(ERR_peek_error() == 0)
  }

  /// As a parser of certificates leaves it.
  private func leaveAnError() {
    var garbage: UnsafePointer<UInt8>?
    [UInt8]([0x30, 0x01]).withUnsafeBufferPointer { bytes in
      garbage = bytes.baseAddress
      #expect(d2i_X509(nil, &garbage, bytes.count) == nil)
    }
  }

  private func perform(_ operation: Operation) throws {
    let nonce = [UInt8](repeating: 0, count: AES256GCM.nonceSize)
    let key = Secret(copying: [UInt8](repeating: 1, count: 32))
    switch operation {
    case .hash:
      #expect(Hex.encode(SHA256.hash([])).hasPrefix("e3b0c442"))
    case .code:
      let code = HMACSHA256.code(for: key, key: key).count
      #expect(code == 32)
    case .agreement:
      let peer = X25519.PrivateKey().publicKey
      _ = try X25519.PrivateKey().agree(with: peer)
    case .lowOrderAgreement:
      let zero = try X25519.PublicKey([UInt8](repeating: 0, count: 32))
      #expect(throws: CryptoError.lowOrderPoint) {
        _ = try X25519.PrivateKey().agree(with: zero)
      }
    case .seal:
      var sealer = AES256GCM.Sealer(key: key)
      let sealed = sealer.seal([], nonce: nonce, aad: [])
      #expect(sealed.count == 16)
    case .open, .forgedOpen:
      var sealer = AES256GCM.Sealer(key: key)
      var opener = AES256GCM.Opener(key: key)
      let sealed = sealer.seal([5], nonce: nonce, aad: [])
      leaveAnError()
      if operation == .open {
        let opened = try opener.open(sealed, nonce: nonce, aad: [])
        #expect(opened == [5])
      } else {
        #expect(throws: CryptoError.notAuthentic) {
          try opener.open(sealed, nonce: nonce, aad: [1])
        }
      }
    case .random:
      #expect(SecureRandom.bytes(count: 16).count == 16)
    case .comparison:
      // Does not use the queue; what is found there must still not decide anything.
      #expect(ConstantTime.equal([1, 2], [1, 2]))
      ERR_clear_error()
    }
  }

  @Test func startsEveryOperationWithAnEmptyQueue() {
    leaveAnError()
    libcrypto { #expect(ERR_peek_error() == 0) }
  }

  @Test func clearsTheQueueWhenTheOperationThrows() {
    #expect(throws: CryptoError.notAuthentic) {
      try libcrypto { () throws(CryptoError) in
        leaveAnError()
        throw .notAuthentic
      }
    }
    #expect(ERR_peek_error() == 0)
  }
}
