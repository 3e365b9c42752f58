/// What happened, for programs: `MESSAGE_ID` of a record in the journal.
///
/// `docs/operations.md` lists each; a test compares the two. A value never changes its meaning.
package enum LogEvent: String, CaseIterable, Sendable {
  case ready = "bf57325f84cc4e0db9bcc892427aa9ea"
  case stopping = "35e185bc21bc4e029903c9338a2273cb"
  case sleeping = "b1e94be438e5423c8f5ed4c2a77c3d3f"
  case startFailed = "77187c84f110404aa2f594bac975814b"
  case configurationRead = "79ba64fb6e904ccfb54a64f4e1048f29"
  case configurationRefused = "01cb2cd503234cf1b28446082beea1e4"
  case socketMissing = "1bfae45831a14573876273a92ed929de"
  case sessionOpened = "77845f70a7a04276a06a81065ad77360"
  case sessionEnded = "cedceec1e2b74cebb8448954132bfdb0"
  case sessionNeedsTokens = "b18f2abccacf4e5ab9d2b6f8628c9a93"
  case requestStarted = "776b99eb224a44f7b4f2316cba255986"
  case requestEnded = "316a0799337f47d292079fc708cd80e4"
  case returnRefused = "cbb5e1f28702475c94f9222477b6b7fd"
  case nodeNotRead = "54b96e85bb2c409c957a1e541cd353c8"
  case nodeRead = "72a67958f0c44dc98961aeef78ab9475"
  case recordNotWritten = "f973e29e91454dee88be3224a18fe061"
  case recordReset = "80f48f6163d14069b8b727b14626c6fa"
  case confined = "aee43ba39bfd4170adbd1e20ec64b460"
  case notConfined = "59232125216e49de8af99a4e2a52b6ad"
}
