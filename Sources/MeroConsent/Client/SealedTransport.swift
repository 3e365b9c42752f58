import FoundationEssentials
import Sealed

/// Carries calls over the sealed channel, and says in the guide's codes what went wrong.
struct SealedTransport: NodeTransport {
  private let channel: SealedChannel

  init(_ channel: SealedChannel) { self.channel = channel }

  func send(_ call: NodeCall) async throws(ConsentError) -> NodeReply {
    let request = SealedRequest(
      method: call.method, path: call.path,
      fields: call.body.isEmpty ? [] : [SealedField("content-type", "application/json")],
      bearer: call.bearer, body: call.body, responseLimit: NodeCall.longestReply)
    do throws(SealedError) {
      let response = try await channel.send(request)
      // The sealed date where there is one; the one around it is good enough to correct a clock.
      let date = response.first("date") ?? response.date
      return NodeReply(
        status: response.status, authError: response.first("x-auth-error"), body: response.body,
        date: date.flatMap(HTTPDate.date),
        retryAfter: response.first("retry-after").flatMap(NodeRefusal.seconds))
    } catch {
      throw ConsentError(error)
    }
  }

  func close() async { await channel.close() }
}
