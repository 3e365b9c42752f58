import CCurl
import Glibc

/// The one owner of one easy handle: one transfer, from its options to its end.
///
/// - Precondition of its end: no multi handle has it any more.
struct CurlEasy: ~Copyable {
  let handle: UnsafeMutableRawPointer
  private let errorText: UnsafeMutablePointer<CChar>
  private var headers: UnsafeMutablePointer<curl_slist>?

  init() throws(CurlFailure) {
    guard CurlLibrary.isReady, let handle = ccurl_easy_init() else {
      throw CurlFailure(code: CURLE_FAILED_INIT)
    }
    self.handle = handle
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    headers = nil
    // Without it descriptions are only more general.
    ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorText)
  }

  deinit {
    ccurl_easy_cleanup(handle)
    ccurl_slist_free_all(headers)
    errorText.deallocate()
  }

  // Every option is checked: one that this libcurl does not know must not be taken for set.

  borrowing func set(_ option: CURLoption, _ value: Int) throws(CurlFailure) {
    try Self.check(ccurl_set_long(handle, option, value))
  }

  borrowing func set(_ option: CURLoption, _ value: String?) throws(CurlFailure) {
    try Self.check(ccurl_set_string(handle, option, value))
  }

  borrowing func set(_ option: CURLoption, _ value: UnsafeRawPointer) throws(CurlFailure) {
    try Self.check(ccurl_set_pointer(handle, option, value))
  }

  borrowing func set(
    _ option: CURLoption, _ value: @escaping curl_write_callback
  ) throws(CurlFailure) {
    try Self.check(ccurl_set_write(handle, option, value))
  }

  /// libcurl copies the bytes.
  borrowing func setBody(_ body: [UInt8]) throws(CurlFailure) {
    try Self.check(
      ccurl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
    let code = body.withUnsafeBytes { bytes in
      // An empty array may have no address, which would mean a body read from a callback.
      ccurl_set_pointer(
        handle, CURLOPT_COPYPOSTFIELDS, bytes.baseAddress ?? UnsafeRawPointer(handle))
    }
    try Self.check(code)
  }

  mutating func setHeaders(_ lines: [String]) throws(CurlFailure) {
    for line in lines {
      guard let longer = ccurl_slist_append(headers, line) else {
        throw CurlFailure(code: CURLE_OUT_OF_MEMORY)
      }
      headers = longer
    }
    try Self.check(ccurl_set_list(handle, CURLOPT_HTTPHEADER, headers))
  }

  /// The announced length of the answer's body; `nil` when it announces none.
  borrowing func contentLength() -> Int64? {
    var length: curl_off_t = -1
    let code = ccurl_get_offset(handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length)
    return code == CURLE_OK && length >= 0 ? Int64(length) : nil
  }

  /// How many connections were opened for this transfer: 0 when it used a kept one.
  borrowing func usedKeptConnection() -> Bool {
    var count = 0
    return ccurl_get_long(handle, CURLINFO_NUM_CONNECTS, &count) == CURLE_OK && count == 0
  }

  /// Goes on with a transfer whose write callback has asked for a pause. May call it at once.
  borrowing func goOn() { ccurl_easy_pause(handle, CURLPAUSE_CONT) }

  /// What libcurl says about a failure, in printable ASCII.
  borrowing func description(of code: CURLcode) -> String {
    let own = String(cString: errorText)
    let text = own.isEmpty ? String(cString: ccurl_easy_strerror(code)) : own
    // Names in a stranger's certificate get in here.
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.prefix(200).map { (" "..."~").contains($0) ? $0 : "?" }))
  }

  static func check(_ code: CURLcode) throws(CurlFailure) {
    guard code == CURLE_OK else { throw CurlFailure(code: code) }
  }
}

/// A call of libcurl that failed.
struct CurlFailure: Error {
  let code: CURLcode
}

/// libcurl's state of the whole process: loaded for the first call to a node. It is never cleaned
/// up: its memory goes with the process, and a clean-up at exit would race with that of OpenSSL.
enum CurlLibrary {
  static var isReady: Bool { ccurl_load() }
}
