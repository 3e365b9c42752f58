import EventLoop

/// The verdict on returns of one request that share it: no read of the node has begun since the
/// first of them came.
///
/// So a request has two of these at a time, however many returns come: for those from before the
/// read that is under way, and for those since.
@LoopActor final class ReturnJudging {
  /// How many reads had begun when the first of its returns came.
  let arrival: Int
  /// Whether one of its returns was for this request, and not for none by name.
  var namedIt: Bool
  /// Its read has no answer yet, so that another return may share it.
  var takesMore = true
  /// Finds it once it is its request's turn.
  let work = SharedWork<Look>()

  init(arrival: Int, namedIt: Bool) {
    self.arrival = arrival
    self.namedIt = namedIt
  }

  /// - Returns: `nil` where the task that waits was cancelled before.
  func look() async -> Look? { await work.result() }
}
