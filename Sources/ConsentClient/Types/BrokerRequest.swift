public import FoundationEssentials
public import MeroConsent

/// A consent request as the daemon has it.
///
/// An invite token inside `outcome` is a bearer credential: it prints as `<redacted>`.
public struct BrokerRequest: Sendable, Hashable {
  /// Where a request stands. Open: a state of a newer daemon is kept as it is.
  public struct State: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The daemon stopped while it was asking the node: ask again.
    public static let starting = Self(rawValue: "starting")
    /// The person can decide.
    public static let started = Self(rawValue: "started")
    public static let approved = Self(rawValue: "approved")
    public static let declined = Self(rawValue: "declined")
    /// A newer request of the same account took its place.
    public static let replaced = Self(rawValue: "replaced")
    public static let expired = Self(rawValue: "expired")
    public static let cancelled = Self(rawValue: "cancelled")
    /// The node's answers cannot be used; `failure` says why.
    public static let failed = Self(rawValue: "failed")

    /// Nothing changes the request any more.
    public var isFinal: Bool {
      [.approved, .declined, .replaced, .expired, .cancelled, .failed].contains(self)
    }
  }

  /// What came of the last return of the person to this machine.
  public struct LastReturn: Sendable, Hashable {
    public let at: Date
    /// `OK` where it confirmed a decision, else the error that it met.
    public let code: String
  }

  /// Why nobody knows whether the person has decided: the daemon cannot read the node.
  public struct ReadFailure: Sendable, Hashable {
    /// `NODE_UNREACHABLE`, `NODE_UNTRUSTED`, `NODE_ERROR`, `CONSENT_RESULT_INVALID`.
    public let code: BrokerError.Code
    /// When the reads began to fail so.
    public let since: Date
  }

  /// Whether a page opened in the person's browser. Show its address and the code in any case.
  public enum Opened: Sendable, Hashable {
    /// The desktop says so.
    case yes
    /// It was handed to the desktop, and nobody can say what became of it.
    case unknown
    /// `reason` is `NO_DISPLAY`, `NO_OPENER`, `NO_BROWSER`, `CANCELLED` or `FAILED`; `nil` where
    /// the request is over.
    case no(reason: String?)
  }

  public let requestId: String
  /// What was asked; `nil` for a kind that this library does not know.
  public let kind: ConsentKind?
  /// The kind as the daemon spells it.
  public let kindName: String
  public let state: State
  public let createdAt: Date
  /// What the person compares with the page: show it before the page opens.
  public let code: String?
  /// The consent page, on the node's own origin.
  public let url: String?
  public let expiresAt: Date?
  /// Where the app's served page has to send the person: the daemon's own address for this
  /// request. `nil` where its callback is not listening.
  public let callback: String?
  /// What came of an approval. In lists it is left out where it holds a secret or is
  /// longer than 4 KiB.
  public let outcome: ConsentOutcome?
  /// Approved, and of an organization kind: read again what lists organizations.
  public let changesOrganizations: Bool
  public let decidedAt: Date?
  public let lastReturn: LastReturn?
  /// Of an undecided request whose last read failed; `detail` says why. The daemon goes on trying.
  public let readFailure: ReadFailure?
  /// Why it `failed`.
  public let failure: BrokerError.Code?
  /// A sentence for a person, where the state needs one.
  public let detail: String?
  /// The node gave it more than the 24 hours that the daemon waits.
  public let lifetimeWasCut: Bool
  /// The session's tokens are gone: `replaceTokens` brings the request back to life.
  public let needsSession: Bool
  /// `false` where the request is over, and the daemon could not write that down yet (a full disk).
  /// A decision that is told all the same is the node's, and is told again.
  public let isRecorded: Bool
  /// What came of opening the page, in answers to calls that asked for it.
  public let opened: Opened?
  /// This version of it; changes with everything above. Empty in lists.
  public let version: String

  /// The decision with its typed outcome, as the guide has it; pending while there is none.
  public var result: ConsentResult {
    let status: ConsentResult.Status =
      switch state {
      case .approved: .approved
      case .declined: .declined
      default: .pending
      }
    return ConsentResult(requestId: requestId, kind: kind, status: status, outcome: outcome)
  }

  /// The request as the guide has it; `nil` where the node was not heard yet.
  public var started: ConsentStarted? {
    guard let kind, let url, let code, let expiresAt else { return nil }
    return ConsentStarted(
      requestId: requestId, url: url, code: code, expiresAt: expiresAt, kind: kind)
  }
}

/// One page of a session's requests, newest first.
public struct BrokerRequestPage: Sendable, Hashable {
  public let requests: [BrokerRequest]
  /// For `before` of the next page; `nil` on the last.
  public let next: String?
}

/// One change of one request. No secrets: read the request for those.
public struct BrokerEvent: Sendable, Hashable {
  /// Grows for ever, over restarts of the daemon too. What is not recorded has that of the event
  /// before it.
  public let id: String
  public let requestId: String
  public let state: BrokerRequest.State
  public let lastReturn: BrokerRequest.LastReturn?
  /// The node cannot be read; an event without it says that it was read. Of this moment, so that it
  /// is not told again.
  public let readFailure: BrokerRequest.ReadFailure?
  /// `false` where the daemon could not write the change down yet: it is told again once it has.
  public let isRecorded: Bool
  /// Lets the app's window come to the front (`XDG_ACTIVATION_TOKEN` on Wayland): what the desktop
  /// gave the URL handler. Told once, in the event of that return.
  public let activationToken: String?
}
