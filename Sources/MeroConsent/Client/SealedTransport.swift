/// Carries calls over the sealed channel.
struct SealedTransport: NodeTransport {
  init(node: NodeAddress, trust: NodeTrust, options: MeroClient.Options) throws(ConsentError) {}

  func send(_ call: NodeCall) async throws(ConsentError) -> NodeReply {
    throw ConsentError(.nodeUnreachable)
  }

  func close() async {}
}
