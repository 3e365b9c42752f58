/// Why a quote was refused. Raw values are the specification's codes: add, never rename.
///
/// The order of the cases is the order in which the verifier asks, so when several apply the one
/// that stands first here is reported (`step` names the step; chains and documents of the same
/// form are asked one after the other).
package enum QuoteFailure: String, Error, CaseIterable, Sendable {
  case mockQuote = "mock-quote"
  case quoteMalformed = "quote-malformed"
  case quoteVersion = "quote-version"
  case quoteTEEType = "quote-tee-type"
  case quoteKeyType = "quote-key-type"
  case quoteVendor = "quote-vendor"
  case quoteBodyType = "quote-body-type"
  case quoteCertificationType = "quote-certification-type"
  case collateralMalformed = "collateral-malformed"
  case rootCRLInvalid = "root-crl-invalid"
  case rootCRLNotCurrent = "root-crl-not-current"
  case pckCRLChainInvalid = "pck-crl-chain-invalid"
  case pckCRLChainNotCurrent = "pck-crl-chain-not-current"
  case pckCRLChainRevoked = "pck-crl-chain-revoked"
  case pckCRLInvalid = "pck-crl-invalid"
  case pckCRLNotCurrent = "pck-crl-not-current"
  case tcbInfoChainInvalid = "tcb-info-chain-invalid"
  case tcbInfoChainNotCurrent = "tcb-info-chain-not-current"
  case tcbInfoChainRevoked = "tcb-info-chain-revoked"
  case tcbInfoSignature = "tcb-info-signature"
  case tcbInfoMalformed = "tcb-info-malformed"
  case tcbInfoNotCurrent = "tcb-info-not-current"
  case tcbInfoMismatch = "tcb-info-mismatch"
  case qeIdentityChainInvalid = "qe-identity-chain-invalid"
  case qeIdentityChainNotCurrent = "qe-identity-chain-not-current"
  case qeIdentityChainRevoked = "qe-identity-chain-revoked"
  case qeIdentitySignature = "qe-identity-signature"
  case qeIdentityMalformed = "qe-identity-malformed"
  case qeIdentityNotCurrent = "qe-identity-not-current"
  case qeIdentityMismatch = "qe-identity-mismatch"
  case pckChainInvalid = "pck-chain-invalid"
  case pckChainNotCurrent = "pck-chain-not-current"
  case pckChainRevoked = "pck-chain-revoked"
  case pckCRLMismatch = "pck-crl-mismatch"
  case pckExtension = "pck-extension"
  case qeReportSignature = "qe-report-signature"
  case qeReportData = "qe-report-data"
  case qeTCBLevelUnsupported = "qe-tcb-level-unsupported"
  case quoteSignature = "quote-signature"
  case tdxModuleMismatch = "tdx-module-mismatch"
  case tcbLevelUnsupported = "tcb-level-unsupported"
  case tcbRevoked = "tcb-revoked"
  case tdDebug = "td-debug"
  case tdAttributes = "td-attributes"
  case tdServiceTD = "td-service-td"
  case tcbStatusNotAllowed = "tcb-status-not-allowed"
  case measurementsUntrusted = "measurements-untrusted"
  case reportDataMismatch = "report-data-mismatch"
}

extension QuoteFailure {
  /// Whether the verdict hangs on the clock that was given: a wrong clock is then as likely a
  /// cause as a stale document.
  package var dependsOnTheClock: Bool {
    switch self {
    case .rootCRLNotCurrent, .pckCRLChainNotCurrent, .pckCRLNotCurrent, .tcbInfoChainNotCurrent,
      .tcbInfoNotCurrent, .qeIdentityChainNotCurrent, .qeIdentityNotCurrent, .pckChainNotCurrent:
      true
    default: false
    }
  }

  /// One sentence for a person: what is wrong, without anything from the quote itself.
  package var explanation: String {
    switch self {
    case .mockQuote:
      "The node sent a mock quote, which only a development node on this machine may."
    case .quoteMalformed: "The quote is not laid out as a TDX quote."
    case .quoteVersion: "The quote is of a version other than 4 and 5."
    case .quoteTEEType: "The quote is not of a TDX machine."
    case .quoteKeyType: "The quote is not signed with ECDSA on P-256."
    case .quoteVendor: "The quote comes from a quoting enclave of another vendor than Intel."
    case .quoteBodyType: "The quote holds a report of a kind that is not accepted."
    case .quoteCertificationType: "The quote does not carry its certificates."
    case .collateralMalformed:
      "The node sent no collateral, or collateral that cannot be read; an older node sends none."
    case .rootCRLInvalid: "The root's revocation list is not one of the pinned root."
    case .rootCRLNotCurrent: "The root's revocation list is not of now."
    case .pckCRLChainInvalid: "The certificates behind the platform's revocation list are wrong."
    case .pckCRLChainNotCurrent:
      "The certificates behind the platform's revocation list are not valid now."
    case .pckCRLChainRevoked: "The CA behind the platform's revocation list is revoked."
    case .pckCRLInvalid: "The platform's revocation list is not one of its CA."
    case .pckCRLNotCurrent: "The platform's revocation list is not of now."
    case .tcbInfoChainInvalid: "The certificates behind the TCB info are wrong."
    case .tcbInfoChainNotCurrent: "The certificates behind the TCB info are not valid now."
    case .tcbInfoChainRevoked: "The certificate that signed the TCB info is revoked."
    case .tcbInfoSignature: "The TCB info is not what Intel signed."
    case .tcbInfoMalformed: "The TCB info cannot be read."
    case .tcbInfoNotCurrent: "The TCB info is not of now."
    case .tcbInfoMismatch: "The TCB info is for another kind of platform."
    case .qeIdentityChainInvalid: "The certificates behind the QE identity are wrong."
    case .qeIdentityChainNotCurrent: "The certificates behind the QE identity are not valid now."
    case .qeIdentityChainRevoked: "The certificate that signed the QE identity is revoked."
    case .qeIdentitySignature: "The QE identity is not what Intel signed."
    case .qeIdentityMalformed: "The QE identity cannot be read."
    case .qeIdentityNotCurrent: "The QE identity is not of now."
    case .qeIdentityMismatch: "The quote was not made by Intel's quoting enclave for TDX."
    case .pckChainInvalid: "The platform's certificates do not lead to Intel's root."
    case .pckChainNotCurrent: "The platform's certificates are not valid now."
    case .pckChainRevoked: "The platform's certificate, or its CA, is revoked."
    case .pckCRLMismatch: "The platform's revocation list is of another CA."
    case .pckExtension: "The platform's certificate does not describe the platform."
    case .qeReportSignature: "The platform did not sign the quoting enclave's report."
    case .qeReportData: "The quoting enclave's report does not name the key of this quote."
    case .qeTCBLevelUnsupported: "The quoting enclave is older than any that Intel lists."
    case .quoteSignature: "The quote was altered, or is not signed by its own key."
    case .tdxModuleMismatch: "The TDX module is not one that Intel lists for the platform."
    case .tcbLevelUnsupported: "The platform is older than any level that Intel lists."
    case .tcbRevoked: "Intel has revoked the platform's level."
    case .tdDebug: "The node runs in debug mode: its operator can read its memory."
    case .tdAttributes: "The node runs with attributes that weaken its isolation."
    case .tdServiceTD: "Another machine could move the node elsewhere."
    case .tcbStatusNotAllowed: "The platform's status is not among those that are allowed."
    case .measurementsUntrusted: "The node does not run an image that is trusted."
    case .reportDataMismatch: "The quote is not an answer to this question, or is for another key."
    }
  }

  /// The step of the specification's section 5 that failed, 1 to 19. A code that two steps share
  /// has the earlier one.
  package var step: Int {
    switch self {
    case .mockQuote: 1
    case .quoteMalformed, .quoteVersion, .quoteTEEType, .quoteKeyType, .quoteVendor: 2
    case .quoteBodyType: 3
    case .quoteCertificationType: 4
    case .collateralMalformed: 5
    case .rootCRLInvalid, .rootCRLNotCurrent: 6
    case .pckCRLChainInvalid, .pckCRLChainNotCurrent, .pckCRLChainRevoked, .pckCRLInvalid,
      .pckCRLNotCurrent:
      7
    case .tcbInfoChainInvalid, .tcbInfoChainNotCurrent, .tcbInfoChainRevoked, .tcbInfoSignature,
      .tcbInfoMalformed, .tcbInfoNotCurrent, .tcbInfoMismatch:
      8
    case .qeIdentityChainInvalid, .qeIdentityChainNotCurrent, .qeIdentityChainRevoked,
      .qeIdentitySignature, .qeIdentityMalformed, .qeIdentityNotCurrent, .qeIdentityMismatch:
      9
    case .pckChainInvalid, .pckChainNotCurrent, .pckChainRevoked, .pckCRLMismatch, .pckExtension:
      10
    case .qeReportSignature: 12
    case .qeReportData: 13
    case .qeTCBLevelUnsupported: 14
    case .quoteSignature: 15
    case .tdxModuleMismatch: 16
    case .tcbLevelUnsupported, .tcbRevoked: 17
    case .tdDebug, .tdAttributes, .tdServiceTD: 18
    case .tcbStatusNotAllowed, .measurementsUntrusted, .reportDataMismatch: 19
    }
  }
}
