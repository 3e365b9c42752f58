import Glibc

/// A system call that failed, with the `errno` it left.
package struct SystemError: Error, Equatable, Sendable {
  /// The call's name, as in its manual page.
  package let call: String
  package let code: CInt

  package init(call: String, code: CInt) {
    self.call = call
    self.code = code
  }
}

extension SystemError: CustomStringConvertible {
  package var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// Reads `errno` before any other code can change it.
@inline(never)
package func systemCall(_ name: String, _ body: () -> CInt) throws(SystemError) -> CInt {
  let result = body()
  if result != -1 { return result }
  let code = errno
  precondition(code != EBADF && code != EFAULT, "\(name): our ownership is broken, stop here")
  throw SystemError(call: name, code: code)
}
