import Crypto
import EventLoop
import Sealed

// The three calls of the sealed transport: attestation, handshake, exchange. In each, what stands
// in place of the call is asked for first, then the call runs, then its answer is spoilt.
extension DevelopmentNode {
  func attest(_ body: [UInt8]) -> Exchange {
    answer(.attest) { acts in
      guard let key = try? X25519.PublicKey(transportKey) else { return .notFound }
      let ran = Ran(Attestation.answer(body, key: key, acts: acts, source: attestation))
      return state.spoilt(ran, by: acts)
    }
  }

  func handshake(_ body: [UInt8]) -> Exchange {
    answer(.handshake) { acts in
      do throws(SealingRefusal) {
        var reply = try sealing.handshake(body, at: .now)
        if let act = acts.first(.longHandshake) {
          reply += [UInt8](repeating: 0, count: max(0, act.number - reply.count))
        }
        return .sealed(reply, acts)
      } catch {
        return .sealedRefusal(error.rawValue)
      }
    }
  }

  /// An unsealed call: it has an answer whose shape does not depend on what came of it.
  private func answer(
    _ call: CallName, _ run: ([MisbehaviourPlan.Act]) -> APIAnswer
  ) -> Exchange {
    count(call)
    switch NodeState.instead(state.plan.take([.instead], on: call)) {
    case .inside(let answer), .outside(let answer):
      return (answer, state.plan.take([.wire], on: call))
    case nil:
      let acts = state.plan.take([.answer, .sealing, .wire], on: call)
      return (run(acts), acts)
    }
  }

  func exchange(_ body: [UInt8]) -> Exchange {
    var opened: OpenedExchange
    do {
      opened = try sealing.open(body, at: .now)
    } catch {
      count(.other)
      return (.sealedRefusal(error.rawValue), state.plan.take([.wire], on: .other))
    }
    let call = CallName(opened.request)
    count(call)
    let instead = state.plan.take([.instead], on: call)
    if instead.has(.unknownSession) { sealing.forgetSession(of: opened) }
    switch NodeState.instead(instead) {
    case .outside(let answer):
      return (answer, state.plan.take([.wire], on: call))
    case .inside(let answer):
      let acts = state.plan.take([.sealing, .wire], on: call)
      return (sealed(answer, in: &opened, acts), acts)
    case nil:
      let ran = state.run(opened.request, at: now)
      let acts = state.plan.take([.answer, .sealing, .wire], on: call, reading: ran.reading)
      return (sealed(state.spoilt(ran, by: acts), in: &opened, acts), acts)
    }
  }

  private func sealed(
    _ answer: APIAnswer, in exchange: inout OpenedExchange, _ acts: [MisbehaviourPlan.Act]
  ) -> APIAnswer {
    if acts.has(.unsealed) { return answer }
    var body: [UInt8] = []
    for (kind, data) in FramePlan(answer, acts).frames { body += exchange.frame(kind: kind, data) }
    if acts.has(.damagedFrame), let last = body.indices.last { body[last] ^= 1 }
    return .sealed(body, acts)
  }
}

extension APIAnswer {
  /// A body of the sealed transport.
  static func sealed(_ body: [UInt8], _ acts: [MisbehaviourPlan.Act]) -> APIAnswer {
    let type = acts.first(.contentType)?.text ?? SealedProtocol.contentType
    return APIAnswer(status: 200, headers: [("content-type", type)], body: body)
  }
}
