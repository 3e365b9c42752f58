import Callback
import EventLoop
import MeroConsent

/// A request that this program started itself, and whose return comes to its own callback.
@LoopActor final class DirectRun: ConsentRun {
  nonisolated let started: ConsentStarted
  /// Opens the request's page in the person's browser.
  typealias Opening =
    @LoopActor @Sendable (MeroClient, ConsentStarted) async throws(ConsentError) -> Void

  private let client: MeroClient
  private let opening: Opening
  private let site: AppCallback?
  private let ticket: String
  private var settled: Result<ConsentResult, BrokerError>?
  private let waiter = Waiter()
  var refused: ConsentLauncher.Refused?
  /// Between two looks at whether there is a verdict; a verdict wakes the wait at once.
  private static let longest: Duration = .seconds(3600)
  /// A read that other returns may join: a page of somebody else's can knock as often as it likes.
  private var reading: Task<Result<ConsentResult, BrokerError>, Never>?

  init(
    _ request: ConsentRequest, callback: CloudCallback, with client: MeroClient,
    opening: @escaping Opening = { client, started throws(ConsentError) in
      try await client.openPage(of: started)
    }
  ) async throws(BrokerError) {
    let ticket = ViewTickets.randomTicket()
    // Bound before the node learns of it.
    let site = try AppCallback.site(for: callback)
    do throws(ConsentError) {
      let own = client.namesNoReturn ? site?.address(of: ticket) : nil
      started = try await client.requestConsent(request, returnTo: callback.webURL ?? own)
    } catch {
      site?.release()
      throw BrokerError(error)
    }
    self.client = client
    self.opening = opening
    self.site = site
    self.ticket = ticket
    site?.add(self, ticket: ticket)
  }

  /// The path of this request's own return; `nil` where the return comes in another way.
  var returnPath: String? { site == nil ? nil : "/return/" + ticket }

  func openPage() async throws(BrokerError) {
    do throws(ConsentError) { try await opening(client, started) } catch {
      throw BrokerError(error)
    }
  }

  func decision() async throws(BrokerError) -> ConsentResult {
    let polling = Task { [client, started] in
      do throws(ConsentError) {
        settle(.success(try await client.waitForConsent(started)))
      } catch {
        settle(.failure(BrokerError(error)))
      }
    }
    defer { polling.cancel() }
    while settled == nil {
      guard !Task.isCancelled else { throw .cancelled }
      _ = await waiter.wait(until: .now + Self.longest)
    }
    return try settled?.get() ?? pending
  }

  func standing() async -> ConsentResult {
    if case .success(let result) = settled { return result }
    return await soon { [client, started] in
      try? await client.consentResult(started.requestId, kind: started.kind)
    }
  }

  func confirm(returned url: String) async throws(BrokerError) -> ConsentResult {
    let returned: ReturnURL
    do throws(ConsentError) { returned = try ReturnURL(url) } catch { throw BrokerError(error) }
    return try await judge(returned).get()
  }

  /// The callback stays a while: the person may be on the way back when the decision is found.
  func end() {
    refused = nil
    site?.remove(ticket: ticket, after: settled == nil ? .zero : AppCallback.Limits.linger)
  }

  /// Judges one return. A refused one changes nothing.
  func judge(_ returned: ReturnURL) async -> Result<ConsentResult, BrokerError> {
    guard !returned.namesAnother(than: started.requestId) else {
      let error = BrokerError(ConsentError(.requestMismatch, started: started))
      await refused?(error.code)
      return .failure(error)
    }
    if let settled { return settled }
    let task =
      reading
      ?? Task { [client, started] in
        do throws(ConsentError) {
          return .success(try await client.confirmConsentReturn(started, returned: returned))
        } catch {
          return .failure(BrokerError(error))
        }
      }
    reading = task
    let verdict = await task.value
    // Whoever shared this one may look again already.
    if reading == task { reading = nil }
    switch verdict {
    case .success: settle(verdict)
    case .failure(let error) where error.consentCode == .replaced: settle(verdict)
    case .failure(let error): await refused?(error.code)
    }
    return verdict
  }

  private func settle(_ verdict: Result<ConsentResult, BrokerError>) {
    guard settled == nil else { return }
    settled = verdict
    waiter.signal()
  }
}

extension CloudCallback {
  /// What a node takes as `returnTo` for any package.
  var webURL: String? { if case .https = self { url } else { nil } }
}
