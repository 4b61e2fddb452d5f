internal import CooperativeCancellation

// The trials that are harmless: none answers a wait that may have ended.

extension WrapperCheck {
  /// Returns whether two calls can have the same wrapper, or `nil` if there is no call, and so
  /// nothing more to try.
  func answer() async -> Bool? {
    let trial = startTrial()
    guard let request = await trial.nextCall() else {
      var text =
        "the wrapper did not call the fake within \(limit). If it takes longer, raise `limit:`."
      if case .failure(let error) = await trial.end() {
        text = "the wrapper threw \(error) before it called the fake."
      }
      find(.answer, text)
      return nil
    }
    let isShared = trial.fake.hasWrapper
    let start = Moment.now
    request.answer(success)
    answerTime.change { $0 = start.nanoseconds(to: .now) }
    request.drop()
    let when = "the SDK answered"
    await expect(.value, of: trial, .answer, when: when)
    // Nothing keeps what the SDK calls, so no other trial would have an answer either.
    if case .failure(is DroppedCompletionError) = await trial.end() { return nil }
    await expectCancellation(of: request, in: trial, .answer, when: when)
    if trial.fake.callCount > 1 {
      let times = "\(trial.fake.callCount) times instead of once"
      find(.answer, "the SDK was called \(times), although it had answered.")
    }
    expectNoMisuse(in: trial, .oneAnswer, "the SDK answered once, with success, but")
    return isShared
  }

  func error() async {
    guard let failure, await error(failure) else { return }
    await answer(failure, insideCall: "the SDK reported an error", not: .failure)
  }

  private func error(_ failure: @escaping @Sendable (Completion) -> Void) async -> Bool {
    guard let (trial, request) = await beginTrial() else { return false }
    // A wrapper may try again.
    trial.fake.whenCalled { request in startOnOwnThread { request.answer(failure) } }
    request.answer(failure)
    request.drop()
    let end = await trial.end()
    let count = trial.fake.callCount
    // Ends a wrapper that tries again forever.
    trial.fake.whenCalled { [success] in $0.answer(success) }
    if end == nil, count > 1 {
      let text = "it did not end when the SDK reported an error to each of \(count) calls."
      return find(.error, text + " If it pauses in between, raise `limit:`.")
    }
    if case .failure(let error as DroppedCompletionError) = end {
      let text = "the wrapper did not call the completion when the SDK reported an error"
      return find(.error, "\(text): \(error)")
    }
    let when = "the SDK reported an error" + (count > 1 ? " to each of \(count) calls" : "")
    let ends = await expect(.failure, of: trial, .error, when: when)
    let isLeftAlone = await expectCancellation(of: request, in: trial, .error, when: when)
    expectNoMisuse(in: trial, .oneAnswer, "the SDK answered once, with an error, but")
    return ends && isLeftAlone && trial.reports.isEmpty
  }

  func answerInsideCall() async {
    await answer(success, insideCall: "the SDK answered", not: .value)
  }

  private func answer(
    _ body: @escaping @Sendable (Completion) -> Void,
    insideCall answered: String,
    not expected: WrapperEnd
  ) async {
    let trial = startTrial { $0.answer(body) }
    let when = "\(answered) before its method returned"
    // A call that has not ended, which may be excepted, has nothing to close yet.
    guard await expect(expected, of: trial, .answerInsideCall, when: when),
      let request = trial.fake[1]
    else { return }
    let isAnswered = expected == .value
    await expectCancellation(of: request, in: trial, isAnswered ? .answer : .error, when: when)
  }

  func checkBefore() async {
    let trial = makeTrial()
    trial.fake.whenCalled { [success] in $0.answer(success) }
    trial.task.cancel()
    trial.start()
    _ = await trial.end()
    let when = "in a task that was already cancelled"
    if response == .ignoreCancellation {
      await expect(.value, of: trial, .checkBefore, when: "it was called \(when)")
    } else if trial.fake.callCount > 0 {
      find(.checkBefore, "it called the SDK \(when).")
    } else {
      await expect(.cancellation, of: trial, .checkBefore, when: "it was called \(when)")
    }
  }

  func droppedCompletion() async {
    // A wrapper that is excepted here would wait until the limit, and its task would be left over.
    guard guarantees.contains(.droppedCompletion) else { return }
    guard let (trial, request) = await beginTrial() else { return }
    trial.fake.whenCalled { $0.drop() }
    request.drop()
    let when = "the SDK released the completion without calling it"
    await expect(.failure, of: trial, .droppedCompletion, when: when)
    trial.fake.whenCalled { [success] in $0.answer(success) }
  }
}
