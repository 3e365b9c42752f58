/// Where an app takes the person back.
///
/// A node takes only https origins of the app's package as `returnTo`. The other two are for
/// the package's served page, which passes the return on.
public enum CloudCallback: Hashable, Sendable {
  /// A universal link on one of the package's origins.
  case https(host: String, path: String)
  /// The app's own URL scheme, registered with the desktop: `.scheme("mero", path: "return")`.
  case scheme(_ scheme: String, path: String)
  /// A port on this machine, as a daemon or an app listens on it.
  case loopback(port: UInt16, path: String)

  /// `https://host/path`, `scheme://path`, `http://127.0.0.1:port/path`.
  public var url: String {
    switch self {
    case .https(let host, let path): "https://\(host)/\(path.withoutLeadingSlashes)"
    case .scheme(let scheme, let path): "\(scheme)://\(path.withoutLeadingSlashes)"
    case .loopback(let port, let path):
      "http://127.0.0.1:\(port)/\(path.withoutLeadingSlashes)"
    }
  }
}

extension String {
  fileprivate var withoutLeadingSlashes: Substring {
    drop { $0 == "/" }
  }
}
