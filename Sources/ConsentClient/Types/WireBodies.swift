import MeroConsent

/// `POST /v1/sessions`.
struct OpenBody: Encodable {
  let session: NodeSession

  private enum Keys: String, CodingKey {
    case package, account, node, accessToken, refreshToken, origins, returnTo
  }
  private enum NodeKeys: String, CodingKey { case url, trust }

  func encode(to encoder: any Encoder) throws {
    var body = encoder.container(keyedBy: Keys.self)
    try body.encode(session.package, forKey: .package)
    try body.encodeIfPresent(session.account, forKey: .account)
    var node = body.nestedContainer(keyedBy: NodeKeys.self, forKey: .node)
    try node.encode(session.nodeURL, forKey: .url)
    if let releases = session.releases {
      try node.encode(ReleasesBody(releases: releases), forKey: .trust)
    } else if session.trust != .unconfigured {
      try node.encode(TrustBody(trust: session.trust), forKey: .trust)
    }
    try body.encode(session.tokens.accessToken, forKey: .accessToken)
    try body.encodeIfPresent(session.tokens.refreshToken, forKey: .refreshToken)
    try body.encode(session.origins, forKey: .origins)
    try body.encodeIfPresent(session.returnTo, forKey: .returnTo)
  }
}

/// `node.trust` of the daemon's own releases: `true` for all, or names.
private struct ReleasesBody: Encodable {
  let releases: TrustedReleases

  private enum Keys: String, CodingKey { case releases }

  func encode(to encoder: any Encoder) throws {
    var body = encoder.container(keyedBy: Keys.self)
    switch releases {
    case .all: try body.encode(true, forKey: .releases)
    case .named(let names): try body.encode(names, forKey: .releases)
    }
  }
}

/// `node.trust` of the session's own: one of three shapes.
private struct TrustBody: Encodable {
  let trust: NodeTrust

  private enum Keys: String, CodingKey { case transportKey, measurements, tcb, development }

  func encode(to encoder: any Encoder) throws {
    var body = encoder.container(keyedBy: Keys.self)
    switch trust {
    case .transportKey(let key): try body.encode(key, forKey: .transportKey)
    case .measurements(let images, let tcb):
      try body.encode(
        images.map {
          [
            "mrtd": $0.mrtd, "rtmr0": $0.rtmr0, "rtmr1": $0.rtmr1, "rtmr2": $0.rtmr2,
            "rtmr3": $0.rtmr3,
          ]
        }, forKey: .measurements)
      try body.encode(tcb, forKey: .tcb)
    case .development: try body.encode(true, forKey: .development)
    case .unconfigured: break
    }
  }
}

/// `PATCH /v1/session`.
struct TokensBody: Encodable {
  let accessToken: String
  let refreshToken: String?

  init(_ tokens: SessionTokens) {
    accessToken = tokens.accessToken
    refreshToken = tokens.refreshToken
  }
}

/// `POST /v1/requests`: one of the two is there.
struct StartBody: Encodable {
  var request: ConsentRequestBody?
  var started: ConsentStarted?
  let open: Bool
}

/// A return URL, for either door.
struct ReturnBody: Encodable {
  let url: String
  /// For the URL handler's door only.
  var activationToken: String?
}

/// `POST /v1/requests/{id}/open`.
struct PageBody: Encodable {
  let activationToken: String
}
