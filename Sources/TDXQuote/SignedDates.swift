/// When a signed document of Intel's holds, read before anything else in it.
struct SignedDates {
  /// Unix seconds, both included.
  let issueDate: Int64
  let nextUpdate: Int64

  /// Checks the syntax of the whole text on the way.
  init(reading json: [UInt8]) throws(JSONMismatch) {
    var issueDate = Required<Int64>()
    var nextUpdate = Required<Int64>()
    try JSONReader.document(json) { (name, value) throws(JSONMismatch) in
      switch name {
      case "issueDate": try issueDate.set(try value.date())
      case "nextUpdate": try nextUpdate.set(try value.date())
      default: try value.skip()
      }
    }
    self.issueDate = try issueDate.get()
    self.nextUpdate = try nextUpdate.get()
  }

  func hold(at now: Int64) -> Bool { issueDate <= now && now <= nextUpdate }
}
