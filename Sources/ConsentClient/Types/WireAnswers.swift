import FoundationEssentials
import MeroConsent

// The daemon's JSON. Fields that are not known are read over: a newer daemon may have more.

struct SessionOpenedAnswer: Decodable {
  let session: String
  let key: String
}

struct SessionAnswer: Decodable {
  let session: String
  let package: String
  let account: String?
  let node: Node
  let origins: [String]
  let returnTo: String?
  let createdAt: Date
  let needsSession: Bool

  struct Node: Decodable { let url: String }

  var info: SessionInfo {
    SessionInfo(
      session: session, package: package, account: account, nodeURL: node.url, origins: origins,
      returnTo: returnTo, createdAt: createdAt, needsSession: needsSession)
  }
}

struct RequestAnswer: Decodable {
  let requestId: String
  let kind: String
  let state: String
  let createdAt: Date
  let code: String?
  let url: String?
  let expiresAt: Date?
  let callback: String?
  let outcome: OutcomeAnswer?
  let changesOrganizations: Bool?
  let decidedAt: Date?
  let lastReturn: LastReturnAnswer?
  let readFailure: ReadFailureAnswer?
  let failure: String?
  let detail: String?
  let lifetimeCut: Bool?
  let needsSession: Bool?
  let recorded: Bool?
  let opened: OpenedAnswer?
  let openedReason: String?

  func request(version: String) -> BrokerRequest {
    BrokerRequest(
      requestId: requestId, kind: ConsentKind(rawValue: kind), kindName: kind,
      state: BrokerRequest.State(rawValue: state), createdAt: createdAt, code: code, url: url,
      expiresAt: expiresAt, callback: callback, outcome: outcome?.outcome,
      changesOrganizations: changesOrganizations ?? false, decidedAt: decidedAt,
      lastReturn: lastReturn?.value, readFailure: readFailure?.value,
      failure: failure.map(BrokerError.Code.init(rawValue:)), detail: detail,
      lifetimeWasCut: lifetimeCut ?? false, needsSession: needsSession ?? false,
      isRecorded: recorded ?? true, opened: opened?.value(openedReason), version: version)
  }
}

/// `true`, `false` or `"unknown"`.
struct OpenedAnswer: Decodable {
  private let flag: Bool?

  init(from decoder: any Decoder) throws {
    // Another word of a newer daemon is no more than unknown either.
    flag = try? decoder.singleValueContainer().decode(Bool.self)
  }

  func value(_ reason: String?) -> BrokerRequest.Opened {
    flag.map { $0 ? .yes : .no(reason: reason) } ?? .unknown
  }
}

struct LastReturnAnswer: Decodable {
  let at: Date
  let code: String

  var value: BrokerRequest.LastReturn { BrokerRequest.LastReturn(at: at, code: code) }
}

struct ReadFailureAnswer: Decodable {
  let code: String
  let since: Date

  var value: BrokerRequest.ReadFailure {
    BrokerRequest.ReadFailure(code: BrokerError.Code(rawValue: code), since: since)
  }
}

/// `{"kind":…}` and the outcome's own fields.
struct OutcomeAnswer: Decodable {
  /// `nil` for a kind of a newer daemon.
  let outcome: ConsentOutcome?

  private enum Keys: String, CodingKey { case kind, orgId, token, org, name, apps }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Keys.self)
    let text = { (key: Keys) in try fields.decode(String.self, forKey: key) }
    outcome =
      switch ConsentOutcome.Kind(rawValue: try text(.kind)) {
      case .orgCreated: .orgCreated(orgId: try text(.orgId))
      case .inviteCreated: .inviteCreated(token: try text(.token))
      case .inviteAccepted: .inviteAccepted(org: try text(.org))
      case .orgRenamed: .orgRenamed(orgId: try text(.orgId), name: try text(.name))
      case .orgDeleted: .orgDeleted(apps: try fields.decode([String].self, forKey: .apps))
      case nil: nil
      }
  }
}

struct ListAnswer: Decodable {
  let requests: [RequestAnswer]
  let next: String?
}

struct EventAnswer: Decodable {
  let requestId: String
  let state: String
  let lastReturn: LastReturnAnswer?
  let readFailure: ReadFailureAnswer?
  let recorded: Bool?
  let activationToken: String?
}

struct StatusAnswer: Decodable {
  let version: String
  let startedAt: Date
  let uptime: Int
  let callbacks: [String]
  let counts: Counts
  let nodes: Nodes
  let releases: [String]?
  let attestations: [Attestation]?
  let state: State

  struct Counts: Decodable {
    let sessions: Int
    let configuredSessions: Int?
    let undecidedRequests: Int
    let waits: Int
    let eventStreams: Int
  }

  struct Nodes: Decodable {
    let reachable: Int
    let unreachable: Int
  }

  struct Attestation: Decodable {
    let image: String
    let mock: Bool
    let tcbStatus: String?
    let advisories: [String]
    let verifiedAt: Date
    let holdsUntil: Date?

    var value: NodeAttestation {
      NodeAttestation(
        image: image, isMock: mock, tcbStatus: tcbStatus, advisoryIDs: advisories,
        verifiedAt: verifiedAt, holdsUntil: holdsUntil)
    }
  }

  struct State: Decodable {
    let health: String
    let reason: String?
    let reset: Bool
    let unwritten: Int?
  }

  var status: BrokerStatus {
    BrokerStatus(
      version: version, startedAt: startedAt, uptime: .seconds(uptime), callbacks: callbacks,
      sessions: counts.sessions, configuredSessions: counts.configuredSessions ?? 0,
      undecidedRequests: counts.undecidedRequests, waits: counts.waits,
      eventStreams: counts.eventStreams, nodesReachable: nodes.reachable,
      nodesUnreachable: nodes.unreachable, releases: releases ?? [],
      attestations: (attestations ?? []).map(\.value),
      stateHealth: state.health, stateReason: state.reason, stateWasReset: state.reset,
      unwrittenVerdicts: state.unwritten ?? 0)
  }
}
