internal import CooperativeCancellation

// The trials that are harmless: none answers a wait that may have ended.

extension WrapperCheck {
  /// Also returns whether two calls can have the same wrapper, or `nil` if there is no call, and so nothing more to
  /// try.
  func answer() async -> (findings: [Finding], isShared: Bool?) {
    let (trial, _) = makeTrial()
    trial.start()
    guard let request = await trial.nextCall() else {
      var text = "the wrapper did not call the fake."
      if case .threw(let error) = await trial.end() {
        text = "the wrapper threw \(error) before it called the fake."
      }
      return ([Finding(.answer, text)], nil)
    }
    let isShared = trial.fake.hasWrapper
    request.answer(success)
    request.drop()
    let when = "the SDK answered"
    let end = await trial.end()
    var findings = complaints(.answer, end, not: .value, when: when)
    findings += await complaints(.answer, of: request, in: trial, when: when)
    if trial.fake.callCount > 1 {
      let text = """
        the SDK was called \(trial.fake.callCount) times instead of once, although it had answered.
        """
      findings.append(Finding(.answer, text))
    }
    return (findings + misuse(in: trial, "with success"), isShared)
  }

  func error() async -> [Finding] {
    guard let failure else { return [] }
    async let inside = answer(failure, insideCall: "the SDK reported an error", not: .failure)
    let findings = await error(failure)
    return findings.isEmpty ? await inside : findings
  }

  private func error(_ failure: @escaping @Sendable (Completion) -> Void) async -> [Finding] {
    guard let (trial, request) = await beginTrial() else { return [] }
    // A wrapper may try again.
    trial.fake.whenCalled { $0.answerOnAnotherThread(failure) }
    request.answer(failure)
    request.drop()
    let end = await trial.end()
    if case .threw(let error as DroppedCompletionError) = end {
      let text = "the wrapper does not call the completion when the SDK reports an error: \(error)"
      return [Finding(.error, text)]
    }
    let count = trial.fake.callCount
    // Ends a wrapper that tries again forever.
    trial.fake.whenCalled { [success] in $0.answer(success) }
    let when = "the SDK reported an error" + (count > 1 ? " to each of \(count) calls" : "")
    return complaints(.error, end, not: .failure, when: when)
      + (await complaints(.error, of: request, in: trial, when: when))
      + misuse(in: trial, "with an error")
  }

  func answerInsideCall() async -> [Finding] {
    await answer(success, insideCall: "the SDK answered", not: .value)
  }

  private func answer(
    _ body: @escaping @Sendable (Completion) -> Void,
    insideCall answered: String,
    not expected: WrapperEnd
  ) async -> [Finding] {
    let (trial, _) = makeTrial()
    trial.fake.whenCalled { $0.answer(body) }
    trial.start()
    let when = "\(answered) before its method returned"
    let findings = complaints(.answerInsideCall, await trial.end(), not: expected, when: when)
    guard let request = trial.fake[1] else { return findings }
    return findings + (await complaints(.answerInsideCall, of: request, in: trial, when: when))
  }

  func checkBefore() async -> [Finding] {
    let (trial, _) = makeTrial()
    trial.fake.whenCalled { [success] in $0.answer(success) }
    trial.task.cancel()
    trial.start()
    let end = await trial.end()
    let when = "in a task that was already cancelled"
    if response != .ignoreCancellation, trial.fake.callCount > 0 {
      return [Finding(.checkBefore, "it called the SDK \(when).")]
    }
    let expected: WrapperEnd = response == .ignoreCancellation ? .value : .cancellation
    return complaints(.checkBefore, end, not: expected, when: "it was called \(when)")
  }

  func droppedCompletion() async -> [Finding] {
    // A wrapper that is excepted here would wait until the limit, and its task would be left over.
    guard guarantees.contains(.droppedCompletion) else { return [] }
    guard let (trial, request) = await beginTrial() else { return [] }
    trial.fake.whenCalled { $0.drop() }
    request.drop()
    let when = "the SDK released the completion without calling it"
    defer { trial.fake.whenCalled { [success] in $0.answer(success) } }
    return complaints(.droppedCompletion, await trial.end(), not: .failure, when: when)
  }
}
