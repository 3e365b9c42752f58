/// The version of everything in this package, as `--version` and `/v1/status` tell it.
package enum ProductVersion {
  package static let text = "0.1.0"
}
