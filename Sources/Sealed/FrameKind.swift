/// The first byte inside a frame.
package enum FrameKind {
  package static let head: UInt8 = 0
  package static let body: UInt8 = 1
  package static let end: UInt8 = 2
}
