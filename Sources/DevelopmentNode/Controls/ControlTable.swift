/// All that can be done to a running node.
package enum ControlTable {
  package static let all: [Control] = [
    Control(
      method: "GET", path: "/dev", fields: [],
      about: "everything at a glance: place, settings, rules, counters, requests, invites"
    ) { (node, _) throws(ControlRefused) in node.overview },
    Control(
      method: "POST", path: "/dev/tokens", fields: ["account"],
      about: "tokens for a new account, or for the one that is named"
    ) { (node, body) throws(ControlRefused) in node.issue(to: try body.text("account")) },
    Control(
      method: "POST", path: "/dev/tokens/expire", fields: ["account"],
      about: "the access tokens of an account are expired; they can be refreshed"
    ) { (node, body) throws(ControlRefused) in
      let account = try body.text("account") ?? node.account
      node.state.accounts.expireTokens(of: account, at: node.now)
      return ["account": .string(account)]
    },
    Control(
      method: "POST", path: "/dev/tokens/revoke", fields: ["account"],
      about: "no token of an account is good any more, and none can be refreshed"
    ) { (node, body) throws(ControlRefused) in
      let account = try body.text("account") ?? node.account
      node.state.accounts.revokeTokens(of: account)
      return ["account": .string(account)]
    },
    Control(
      method: "POST", path: "/dev/decide", fields: ["requestId", "decision"],
      about: "plays the person: approve or decline; without an id, the newest undecided request"
    ) { (node, body) throws(ControlRefused) in
      guard let decision = try body.choice("decision", of: ConsentBook.Decision.self) else {
        throw ControlRefused("“decision” is missing")
      }
      return try node.play(try node.request(named: body), decision)
    },
    Control(
      method: "POST", path: "/dev/replace", fields: ["requestId"],
      about: "a request is replaced, as by a newer one"
    ) { (node, body) throws(ControlRefused) in
      let id = try node.request(named: body)
      try node.change(id) { (id) throws(ConsentBook.Refused) in
        try node.state.consents.replace(id, at: node.now)
      }
      return ["requestId": .string(id)]
    },
    Control(
      method: "POST", path: "/dev/expire", fields: ["requestId"],
      about: "a request's time is up"
    ) { (node, body) throws(ControlRefused) in
      let id = try node.request(named: body)
      try node.change(id) { (id) throws(ConsentBook.Refused) in
        try node.state.consents.expire(id, at: node.now)
      }
      return ["requestId": .string(id)]
    },
    Control(
      method: "POST", path: "/dev/callback", fields: ["requestId", "url"],
      about: "where the served page sends the person on to: for one request, or for all others"
    ) { (node, body) throws(ControlRefused) in try node.setCallback(body) },
    Control(
      method: "POST", path: "/dev/misbehave",
      fields: ["name", "on", "skip", "times", "number", "value"],
      about: "spoils the next calls; see the table of misbehaviours"
    ) { (node, body) throws(ControlRefused) in try node.misbehave(body) },
    Control(
      method: "POST", path: "/dev/behave", fields: [], about: "forgets every misbehaviour"
    ) { (node, _) throws(ControlRefused) in
      node.state.plan.clear()
      return [:]
    },
    Control(
      method: "POST", path: "/dev/settings",
      fields: ["ttl", "tokenTtl", "sessionTtl", "clockSkew", "wrapped"],
      about: "lifetimes to come and the clock's error, in ms; answers wrapped in data or not"
    ) { (node, body) throws(ControlRefused) in try node.set(body) },
    Control(
      method: "POST", path: "/dev/restart", fields: [],
      about: "a new transport key, and no session is known; requests and tokens stay"
    ) { (node, _) throws(ControlRefused) in
      node.restart()
      return ["transportKey": .string(node.transportKeyHex)]
    },
    Control(
      method: "POST", path: "/dev/sessions/forget", fields: [],
      about: "no sealed session is known any more; the transport key stays"
    ) { (node, _) throws(ControlRefused) in
      node.sealing.forgetSessions()
      return [:]
    },
    Control(
      method: "POST", path: "/dev/calls/reset", fields: [], about: "sets the counters to zero"
    ) { (node, _) throws(ControlRefused) in
      node.state.calls = [:]
      return [:]
    },
  ]
}
