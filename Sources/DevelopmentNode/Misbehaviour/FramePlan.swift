import Sealed

/// The frames that an answer is sealed into, before they are sealed: the right ones, or not.
package struct FramePlan {
  /// Kind and data of each frame, in order.
  package private(set) var frames: [(kind: UInt8, data: [UInt8])]

  package init(_ answer: APIAnswer, _ acts: [MisbehaviourPlan.Act] = []) {
    let fields = answer.headers.map { SealedField($0.name, $0.value) }
    let head = SealedResponseHead(status: answer.status, fields: fields).json()
    frames = [(FrameKind.head, head)]
    for start in stride(from: 0, to: answer.body.count, by: SealedLimits.frameData) {
      let end = min(start + SealedLimits.frameData, answer.body.count)
      frames.append((FrameKind.body, Array(answer.body[start..<end])))
    }
    frames.append((FrameKind.end, []))
    for act in acts { spoil(by: act, head) }
  }

  private mutating func spoil(by act: MisbehaviourPlan.Act, _ head: [UInt8]) {
    switch act.misbehaviour {
    case .noHeadFrame: frames.removeFirst()
    case .secondHead: frames.insert((FrameKind.head, head), at: 1)
    case .unknownFrame: frames.insert((9, []), at: 1)
    case .longFrame:
      let data = [UInt8](repeating: UInt8(ascii: " "), count: SealedLimits.frameData + 1)
      frames.insert((FrameKind.body, data), at: 1)
    case .noEndFrame: frames.removeLast()
    case .extraFrame: frames.append((FrameKind.body, Array("more".utf8)))
    default: break
    }
  }
}
