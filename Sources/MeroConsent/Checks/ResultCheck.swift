/// What a node's answer about a result has to be before anybody is told.
enum ResultCheck {
  /// - Parameter kind: what was asked; `nil` where this client does not know. Then an outcome
  ///   is checked for itself, and a missing one cannot be noticed.
  /// - Throws: `CONSENT_RESULT_INVALID`.
  static func check(
    _ body: [UInt8], requestId: String, kind: ConsentKind?
  ) throws(ConsentError) -> ConsentResult {
    let answer: ResultAnswer
    do {
      answer = try AnswerJSON.decode(ResultAnswer.self, from: body)
    } catch {
      throw .resultInvalid("it cannot be read")
    }
    guard sameBytes(answer.requestId, requestId) else {
      throw .resultInvalid("it is about another request")
    }
    guard let status = ConsentResult.Status(rawValue: answer.status) else {
      throw .resultInvalid("its status is not one that is known")
    }
    let outcome = try outcome(answer.outcome, status: status, kind: kind)
    return ConsentResult(requestId: requestId, kind: kind, status: status, outcome: outcome)
  }

  private static func outcome(
    _ body: OutcomeBody?, status: ConsentResult.Status, kind: ConsentKind?
  ) throws(ConsentError) -> ConsentOutcome? {
    guard let body else {
      guard status != .approved || kind?.outcome == nil else {
        throw .resultInvalid("it was approved, and its outcome is missing")
      }
      return nil
    }
    guard status == .approved else {
      throw .resultInvalid("it has an outcome and was not approved")
    }
    guard let outcome = body.outcome else {
      throw .resultInvalid("its outcome is incomplete or not of a known kind")
    }
    guard kind == nil || kind?.outcome == outcome.kind else {
      throw .resultInvalid("its outcome is of another kind than the request")
    }
    return outcome
  }
}
