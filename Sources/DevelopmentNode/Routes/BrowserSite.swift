package import EventLoop
import MeroConsent

/// What a browser asks of the node, in the clear.
package struct BrowserRequest: Sendable, Equatable {
  package var method: String
  /// Below the node's prefix, decoded once.
  package var path: String
  package var query: Query
  /// The value of `Origin`, which browsers send with a form's post.
  package var origin: String?
  package var form: Query

  package init(
    method: String, path: String, query: Query = .none, origin: String? = nil, form: Query = .none
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.origin = origin
    self.form = form
  }
}

extension NodeState {
  /// The consent page, its buttons, and the app's served page.
  ///
  /// - Returns: `nil` when the path is none of theirs.
  package mutating func browse(_ request: BrowserRequest, at now: WallInstant) -> APIAnswer? {
    if request.path == NodePlace.appPath {
      return request.method == "GET" ? servedPage(request.query) : .methodNotAllowed("GET, HEAD")
    }
    guard let id = Self.pageID(request.path) else { return nil }
    switch request.method {
    case "GET": return consentPage(id, at: now)
    case "POST":
      // Where a browser says whose form it was, it has to be ours.
      guard request.origin ?? place.origin == place.origin else {
        return .refusal(403, "foreign_origin", "This form is on another site's page.")
      }
      guard let decision = request.form["decision"].flatMap(ConsentBook.Decision.init) else {
        return .refusal(400, "malformed", "decision is approve or decline.")
      }
      return press(decision, on: id, at: now)
    default: return .methodNotAllowed("GET, HEAD, POST")
    }
  }

  /// `/consent/{id}`, which is neither the collection nor a result.
  private static func pageID(_ path: String) -> String? {
    guard path.hasPrefix("/consent/"), path != "/consent/requests" else { return nil }
    let id = path.dropFirst("/consent/".count)
    return id.isEmpty || id.contains("/") ? nil : String(id)
  }

  private func consentPage(_ id: String, at now: WallInstant) -> APIAnswer {
    do {
      let record = try consents.decidable(id, at: now)
      return .page(
        ConsentPages.question(record, action: "\(place.prefix)/consent/\(record.id)"))
    } catch {
      return .page(ConsentPages.refusal(error), status: error.status)
    }
  }

  private mutating func press(
    _ decision: ConsentBook.Decision, on id: String, at now: WallInstant
  ) -> APIAnswer {
    do {
      let record = try decide(id, decision, at: now)
      guard let address = returnAddress(of: record) else {
        return .page(ConsentPages.decided(decision))
      }
      return .redirect(to: address)
    } catch {
      return .page(ConsentPages.refusal(error), status: error.status)
    }
  }

  /// The person decides: on the page, or through the control endpoint.
  package mutating func decide(
    _ id: String, _ decision: ConsentBook.Decision, at now: WallInstant
  ) throws(ConsentBook.Refused) -> ConsentBook.Record {
    var organizations = organizations
    let record = try consents.decide(id, decision, at: now) { record in
      organizations.carryOut(record.request, by: record.account, at: now)
    }
    self.organizations = organizations
    return record
  }

  /// Where the consent page sends the person: the request's `returnTo` with the hint in its query.
  package func returnAddress(of record: ConsentBook.Record) -> String? {
    guard let returnTo = record.request.returnTo else { return nil }
    let result =
      switch record.standing {
      case .approved: "approved"
      case .declined: "declined"
      case .undecided, .replaced: "pending"
      }
    return returnTo.adding(query: [("request_id", record.id), ("result", result)])
  }

  /// The package's page passes the return on by navigating: to the callback that its own address
  /// names, or the one set for this request, or the one of the node. To loopback it redirects; an
  /// app's own scheme gets a page with a link, since a browser that asks first, or knows no such
  /// app, would leave the person with nothing to look at.
  private func servedPage(_ query: Query) -> APIAnswer {
    guard let id = query["request_id"], let callback = callback(for: id, query) else {
      return .page(ConsentPages.servedPage(package: place.package))
    }
    let address = callback.address(adding: query.passedOn)
    return callback.isLoopback
      ? .redirect(to: address) : .page(ConsentPages.openApp(at: address))
  }

  /// Where the person ends who follows `returnAddress(of:)`; `nil` where nobody listens.
  package func callbackAddress(of record: ConsentBook.Record) -> String? {
    guard let address = returnAddress(of: record), let url = WebURL(address),
      let query = Query((url.query ?? "").utf8), let callback = callback(for: record.id, query)
    else { return nil }
    return callback.address(adding: query.passedOn)
  }

  /// Where the served page sends a return of this request on to.
  package func callback(for id: String, _ query: Query) -> Callback? {
    if let named = query["callback"] { return Callback(named) }
    return callbacks[id] ?? settings.callback
  }
}

extension Query {
  package static let none = Query()

  /// What the served page passes on.
  fileprivate var passedOn: [(name: String, value: String)] {
    fields.filter { ["request_id", "result"].contains($0.name) }
  }
}

extension ConsentBook.Refused {
  var status: Int {
    switch self {
    case .unknown: 404
    case .replaced, .expired: 410
    case .decided: 409
    }
  }
}

extension APIAnswer {
  /// A page, with what keeps browsers from storing it, framing it or running anything in it.
  ///
  /// There is no `form-action` in the policy: Chromium applies it to the redirects that follow a
  /// form's post too, and would stop the person on the way to the app's callback.
  static func page(_ html: String, status: Int = 200) -> APIAnswer {
    var answer = APIAnswer.html(html, status: status)
    answer.headers += [
      ("cache-control", "no-store"),
      (
        "content-security-policy",
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
      ),
      ("referrer-policy", "same-origin"), ("x-content-type-options", "nosniff"),
    ]
    return answer
  }

  static func redirect(to address: String) -> APIAnswer {
    APIAnswer(
      status: 303,
      headers: [
        ("location", address), ("cache-control", "no-store"), ("referrer-policy", "no-referrer"),
      ])
  }

  static func methodNotAllowed(_ allowed: String) -> APIAnswer {
    refusal(405, "method_not_allowed", "Not here.", headers: [("allow", allowed)])
  }
}
