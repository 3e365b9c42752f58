/// One level of the TDX module or of the quoting enclave.
struct ComponentLevel {
  let isvSVN: Int
  let status: ComponentStatus
  let advisoryIDs: [String]

  /// The list under `tcbLevels`, which must not be empty.
  static func list(_ reader: inout JSONReader) throws(JSONMismatch) -> [ComponentLevel] {
    var levels: [ComponentLevel] = []
    try reader.array { (element) throws(JSONMismatch) in
      var isvSVN = Required<Int>()
      let details = try LevelDetails<ComponentStatus>(&element) {
        (name, value) throws(JSONMismatch) in
        switch name {
        case "isvsvn": try isvSVN.set(try value.integer(upTo: Int(UInt16.max)))
        default: try value.skip()
        }
      }
      levels.append(
        ComponentLevel(
          isvSVN: try isvSVN.get(), status: details.status, advisoryIDs: details.advisoryIDs))
    }
    if levels.isEmpty { throw JSONMismatch() }
    return levels
  }
}

/// What every level has: a status, a date, advisories, and `tcb`, whose fields are the caller's.
struct LevelDetails<Status: RawRepresentable<String>> {
  let status: Status
  let advisoryIDs: [String]

  init(
    _ reader: inout JSONReader,
    tcbField: (String, inout JSONReader) throws(JSONMismatch) -> Void
  ) throws(JSONMismatch) {
    var tcb = Required<Void>()
    var status = Required<Status>()
    var date = Required<Int64>()
    var advisoryIDs = Required<[String]>()
    try reader.object { (name, value) throws(JSONMismatch) in
      switch name {
      case "tcb":
        try value.object(tcbField)
        try tcb.set(())
      case "tcbStatus": try status.set(try value.name(Status.self))
      case "tcbDate": try date.set(try value.date())
      case "advisoryIDs":
        var list: [String] = []
        try value.array { (element) throws(JSONMismatch) in list.append(try element.text()) }
        try advisoryIDs.set(list)
      default: try value.skip()
      }
    }
    try tcb.get()
    _ = try date.get()
    self.status = try status.get()
    self.advisoryIDs = advisoryIDs.get(orElse: [])
  }
}
