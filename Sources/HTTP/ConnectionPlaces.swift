import EventLoop

/// What a handler says of a connection when it is accepted.
package enum HTTPAdmission {
  /// Its requests are served.
  case served
  /// Its requests are only refused, by their heads.
  case stranger
  /// It is told this, whatever it has to say, and closed.
  case refused(HTTPResponse)
}

/// What a connection is to its server, each with a limit of its own: nobody takes another kind's
/// places.
enum Place: Int, CaseIterable {
  case served
  /// One too many of those that would be served, which is only told so.
  case excess
  case stranger
}

/// The connections of one server, by what they are to it.
@LoopActor struct ConnectionPlaces {
  private(set) var all: [ObjectIdentifier: HTTPServerConnection] = [:]
  private var taken = Place.allCases.map { _ in 0 }

  func taken(_ place: Place) -> Int { taken[place.rawValue] }

  mutating func add(_ connection: HTTPServerConnection) {
    all[ObjectIdentifier(connection)] = connection
    if let place = connection.place { taken[place.rawValue] += 1 }
  }

  mutating func remove(_ connection: HTTPServerConnection) {
    vacate(connection)
    all[ObjectIdentifier(connection)] = nil
  }

  /// The connection is about to end, and its place is another's from now on.
  mutating func vacate(_ connection: HTTPServerConnection) {
    guard let place = connection.place else { return }
    taken[place.rawValue] -= 1
    connection.place = nil
  }

  /// Of those in such places that have waited for their clients for `grace` at least, the one that
  /// has done so the longest. A look at all of them, which only a lack of places asks for.
  func longestWaiting(in place: Place, for grace: Duration) -> HTTPServerConnection? {
    var longest: (connection: HTTPServerConnection, since: BootInstant)?
    for connection in all.values where connection.place == place {
      guard let since = connection.waitingSince, longest.map({ since < $0.since }) ?? true else {
        continue
      }
      longest = (connection, since)
    }
    guard let longest, longest.since + grace <= .now else { return nil }
    return longest.connection
  }
}
