import DevelopmentNode
import Sealed
import Testing

@Suite struct FramePlanTests {
  private let answer = APIAnswer.json(["a": "b"])

  private func kinds(_ misbehaviour: Misbehaviour?, body: Int? = nil) throws -> [UInt8] {
    try plan(misbehaviour, body: body).frames.map(\.kind)
  }

  private func plan(_ misbehaviour: Misbehaviour?, body: Int? = nil) throws -> FramePlan {
    var answer = answer
    if let body { answer.body = [UInt8](repeating: 7, count: body) }
    guard let misbehaviour else { return FramePlan(answer) }
    var plan = MisbehaviourPlan()
    try plan.add(misbehaviour)
    return FramePlan(answer, plan.take([.sealing], on: .result))
  }

  @Test func aRightAnswerIsHeadBodyAndEnd() throws {
    let frames = try plan(nil).frames
    #expect(frames.map(\.kind) == [0, 1, 2])
    let head = #"{"status":200,"headers":[["content-type","application/json"]]}"#
    #expect(String(decoding: frames[0].data, as: UTF8.self) == head)
    #expect(frames[1].data == answer.body)
    #expect(frames[2].data.isEmpty)
  }

  @Test(arguments: [(0, []), (1, [1]), (65_536, [65_536]), (65_537, [65_536, 1])])
  func aBodyIsCutAtTheFramesLimit(_ length: Int, _ pieces: [Int]) throws {
    let frames = try plan(nil, body: length).frames
    #expect(frames.dropFirst().dropLast().map(\.data.count) == pieces)
  }

  @Test(arguments: [
    (Misbehaviour.noHeadFrame, [1, 2]), (.secondHead, [0, 0, 1, 2]), (.unknownFrame, [0, 9, 1, 2]),
    (.noEndFrame, [0, 1]), (.extraFrame, [0, 1, 2, 1]), (.longFrame, [0, 1, 1, 2]),
  ])
  func aWrongAnswerIsWrongInItsFrames(_ misbehaviour: Misbehaviour, _ frames: [UInt8]) throws {
    #expect(try kinds(misbehaviour) == frames)
  }

  @Test func aLongFrameIsOneByteOverTheLimit() throws {
    #expect(try plan(.longFrame).frames[1].data.count == SealedLimits.frameData + 1)
  }
}
