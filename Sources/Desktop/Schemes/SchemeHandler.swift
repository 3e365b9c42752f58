/// Who opens the URLs of a scheme.
package enum SchemeHandler {
  /// The id of the desktop file (`mero-consent.desktop`); `nil` where there is none.
  ///
  /// - Parameter environment: of a program on the desktop.
  package static func id(of scheme: String, _ environment: [String: String]) -> String? {
    MimeDefaults(environment).handler(of: "x-scheme-handler/\(scheme)")
  }
}
