import CSystemd
import Glibc

/// The journal's own way in: a record with fields, which `journalctl FIELD=value` finds.
enum Journal {
  static let sink: Log.Sink = { record in
    var fields = [
      "MESSAGE=\(record.message)", "PRIORITY=\(record.level.priority)",
      "SYSLOG_IDENTIFIER=mero-consentd",
    ]
    if let event = record.event { fields.append("MESSAGE_ID=\(event.rawValue)") }
    for field in record.fields {
      if let name = field.journalName { fields.append("\(name)=\(field.value)") }
    }
    // One that cannot be reached leaves the line.
    if send(fields) < 0 { Log.standardError(record) }
  }

  private static func send(_ fields: [String]) -> CInt {
    let all = fields.map { Array($0.utf8) }
    // The bytes of all fields in one piece of memory, so that their addresses hold.
    var joined = Array(all.joined())
    return joined.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return 0 }
      var start = base
      let vectors = all.map { field in
        defer { start += field.count }
        return iovec(iov_base: start, iov_len: field.count)
      }
      return sd_journal_sendv(vectors, CInt(vectors.count))
    }
  }
}
