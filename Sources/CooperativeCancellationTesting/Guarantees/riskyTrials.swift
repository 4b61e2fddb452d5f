internal import CooperativeCancellation

// The trials that answer a wait that may have ended.

extension WrapperCheck {
  func checkAfter() async -> Outcome? {
    let (trial, _) = makeTrial()
    trial.fake.whenCalled { [success, task = trial.task] request in
      task.cancel()
      request.answer(success)
    }
    trial.start()
    let end = await trial.end()
    let findings = complaints(
      .checkAfter,
      end,
      not: deliversLate ? .value : .cancellation,
      when: "the task was cancelled while the SDK answered inside the call"
    )
    guard case .returned = end else { return Outcome(findings: findings) }
    return Outcome(findings: findings, deliveries: 1)
  }

  /// The task is cancelled after the answer, before it resumes. `checkAfter` has checked its end.
  func cancelledAfterAnswer() async -> Outcome? {
    guard cancelledEnd != nil, let (trial, request) = await beginTrial() else { return nil }
    trial.whileHeld {
      request.answer(success)
      trial.task.cancel()
    }
    guard case .returned = await trial.end() else { return Outcome(findings: []) }
    return Outcome(findings: [], deliveries: 1)
  }

  func secondAnswer(_ first: Answer, _ second: Answer) async -> Outcome? {
    guard let (trial, request) = await beginTrial() else { return nil }
    // A wrapper may try again after an error.
    trial.fake.whenCalled { $0.drop() }
    answer(request, first)
    answer(request, second)
    let isDelivered = first == .success
    let findings = complaints(
      .secondAnswer,
      await trial.end(),
      not: isDelivered ? .value : .failure,
      when: "the SDK answered \(isDelivered ? "twice" : "with an error, and then with a value")"
    )
    return Outcome(findings: findings, deliveries: isDelivered ? 1 : 0)
  }

  /// Repeated, because a cancellation that comes before the wrapper sleeps may miss its cancellation handler.
  func noLockHeld() async -> [Finding] {
    guard guarantees.contains(.forwarding), response != .ignoreCancellation else { return [] }
    for _ in 1...20 {
      guard let isUnderLock = await isToldUnderLock() else { return [] }
      if !isUnderLock { continue }
      let text = """
        deadlock: the wrapper cancels the SDK inside the runtime's cancellation handler, where it waits \
        for the SDK's lock; an SDK that holds that lock while it calls the completion waits for the \
        handler to return.
        """
      return [Finding(.noLockHeld, text)]
    }
    return []
  }

  /// Cancels the task while the SDK holds its lock. Returns whether the cancellation waits for that lock, or `nil` if
  /// the SDK is not told.
  private func isToldUnderLock() async -> Bool? {
    guard let (trial, request) = await beginTrial() else { return nil }
    request.lock.hold()
    let hasReturned = Observed(false)
    startOnOwnThread {
      trial.task.cancel()
      hasReturned.change { $0 = true }
    }
    let isForwarded = await trial.isForwarded(to: request)
    let returns = await patiently { try? await hasReturned.wait(within: limit) { $0 ? $0 : nil } }
    request.lock.release()
    request.answer(success)
    _ = await trial.end()
    return isForwarded ? returns == nil : nil
  }
}
