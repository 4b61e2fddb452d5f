internal import CooperativeCancellation

// The trials: what each does to the wrapper, and what it finds.

extension WrapperCheck {
  func answer() async -> [Finding] {
    let (trial, _) = makeTrial()
    trial.start()
    guard let request = await trial.nextCall() else {
      var finding = Finding(.answer, "the wrapper has not called the fake.")
      finding.isHopeless = true
      return [finding]
    }
    request.answer(success)
    request.drop()
    var findings = complaints(.answer, await trial.end(), not: .value, when: "the SDK had answered")
    if request.cancelCount > 0 {
      findings.append(Finding(.answer, "the SDK was cancelled although it had answered."))
    }
    return findings + misuse(in: trial, "with success")
  }

  func error() async -> [Finding] {
    guard let failure else { return [] }
    guard let (trial, request) = await beginTrial() else { return [] }
    request.answer(failure)
    request.drop()
    let end = await trial.end()
    if case .threw(let error as DroppedCompletionError) = end {
      let text = "the wrapper does not call the completion when the SDK reports an error: \(error)"
      return [Finding(.error, text)]
    }
    return complaints(.error, end, not: .failure, when: "the SDK had reported an error")
      + misuse(in: trial, "with an error")
  }

  func answerInsideCall() async -> [Finding] {
    let (trial, _) = makeTrial()
    trial.fake.whenCalled { [success] in $0.answer(success) }
    trial.start()
    let when = "the SDK had answered before its method returned"
    return complaints(.answerInsideCall, await trial.end(), not: .value, when: when)
  }

  func checkBefore() async -> [Finding] {
    let (trial, _) = makeTrial()
    trial.fake.whenCalled { [success] in $0.answer(success) }
    trial.task.cancel()
    trial.start()
    let end = await trial.end()
    let when = "in a task that was cancelled already"
    if response == .ignoreCancellation {
      return complaints(.checkBefore, end, not: .value, when: "it was called \(when)")
    }
    if trial.fake.callCount > 0 { return [Finding(.checkBefore, "it called the SDK \(when).")] }
    return complaints(.checkBefore, end, not: .cancellation, when: "it was called \(when)")
  }

  func cancelledWhileWaiting() async -> [Finding] {
    guard let (trial, request) = await beginTrial() else { return [] }
    trial.task.cancel()
    let when = "the task was cancelled"
    if response == .ignoreCancellation {
      _ = await passEveryQueue(within: limit)
      request.answer(success)
      let end = await trial.end()
      return complaints(.lateAnswer, end, not: .value, when: "\(when), and then the SDK answered")
        + complaints(.forwarding, of: request, when: when, times: 0)
    }
    let end = await endOfInterrupted(trial, request)
    let findings =
      response == .abandonCallback
      ? complaints(.prompt, end, not: .cancellation, when: "\(when), and the SDK did not answer")
      : complaints(
        .lateAnswer,
        end,
        not: afterCancellation,
        when: "\(when), and then the SDK answered"
      )
    return findings + complaints(.forwarding, of: request, when: when)
  }

  func droppedCompletion() async -> [Finding] {
    // A wrapper that makes an exception here would wait until the limit, and its task would be left.
    guard guarantees.contains(.droppedCompletion) else { return [] }
    guard let (trial, request) = await beginTrial() else { return [] }
    request.drop()
    let when = "the SDK had released the completion without calling it"
    return complaints(.droppedCompletion, await trial.end(), not: .failure, when: when)
  }

  func timeout() async -> [Finding] {
    // The task of a trial waits for the start, so it is made only for a wrapper with a timeout.
    guard makeCall().passTime != nil else { return [] }
    let (trial, call) = makeTrial()
    guard let passTime = call.passTime else { return [] }
    trial.start()
    guard let request = await trial.nextCall() else { return [] }
    guard (try? await passTime(limit)) != nil else {
      let text = "nothing slept on the clock. Does the wrapper's `timeout:` use it?"
      return [Finding(.timeout, text)]
    }
    let when = "the time was up"
    let expected: Expected = response == .deliverResult ? .value : .failure
    return complaints(.timeout, await endOfInterrupted(trial, request), not: expected, when: when)
      + complaints(.timeout, of: request, when: when)
  }

  /// Returns how an interrupted call ends. The SDK answers, if the wrapper waits for that.
  private func endOfInterrupted(
    _ trial: Trial<Completion>,
    _ request: Request
  ) async -> Trial<Completion>.End {
    if response == .waitForCallback || response == .deliverResult {
      _ = await trial.isForwarded(to: request)
      request.answer(success)
    }
    return await trial.end()
  }

  /// What a cancellation before an answer means.
  private var afterCancellation: Expected { deliversLate ? .value : .cancellation }

  /// Whether an answer after a cancellation is delivered.
  var deliversLate: Bool { response == .deliverResult || response == .ignoreCancellation }
}

// Trials that call a completion whose wait may have ended.
extension WrapperCheck {
  func checkAfter() async -> [Finding] {
    let (trial, _) = makeTrial()
    // Does not capture the trial, which keeps the fake.
    trial.fake.whenCalled { [success, task = trial.task] request in
      task.cancel()
      request.answer(success)
    }
    trial.start()
    let when = "the task was cancelled while the SDK answered inside the call"
    return complaints(.checkAfter, await trial.end(), not: afterCancellation, when: when)
  }

  func lateAnswer() async -> [Finding] {
    if response == .ignoreCancellation { return [] }
    guard let (trial, request) = await beginTrial() else { return [] }
    trial.task.cancel()
    _ = await endOfInterrupted(trial, request)
    if response == .abandonCallback { request.answer(success) }
    return trial.reports.map {
      Finding(.lateAnswer, "the first answer after a cancellation counts as misuse: \($0)")
    }
  }

  func secondAnswer() async -> [Finding] {
    guard let (trial, request) = await beginTrial() else { return [] }
    request.answer(success)
    request.answer(success)
    let when = "the SDK had answered twice"
    return complaints(.secondAnswer, await trial.end(), not: .value, when: when)
  }

  /// Repeated, because a cancellation that comes before the wrapper sleeps may miss its cancellation handler.
  func noLockHeld() async -> [Finding] {
    guard guarantees.contains(.forwarding), response != .ignoreCancellation else { return [] }
    for _ in 1...20 {
      guard let isUnderLock = await isToldUnderLock() else { return [] }
      if !isUnderLock { continue }
      let text = """
        deadlock: the wrapper cancels the SDK inside the runtime's cancellation handler, and there it waits for the \
        SDK's lock; an SDK that holds it while it calls the completion waits for the handler's end.
        """
      return [Finding(.noLockHeld, text)]
    }
    return []
  }

  /// Cancels the task while the SDK holds its lock. Returns whether the cancellation waits for that lock, or `nil` if
  /// the SDK is not told.
  private func isToldUnderLock() async -> Bool? {
    guard let (trial, request) = await beginTrial() else { return nil }
    // Until then, the wrapper probably sleeps.
    _ = await passEveryQueue(within: limit)
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

extension WrapperCheck {
  /// How a call should end: with a value, with `CancellationError`, or with another error.
  private enum Expected { case value, cancellation, failure }

  private func complaints(
    _ guarantee: WrapperGuarantee,
    _ end: Trial<Completion>.End,
    not expected: Expected,
    when: String
  ) -> [Finding] {
    let text: String
    switch (end, expected) {
    case (.stillRuns, _):
      var finding = Finding(guarantee, "it had not ended after \(limit): \(when).")
      finding.hangs = true
      return [finding]
    case (.returned, _) where expected == .value || !canThrow: return []
    case (.threw(is CancellationError), .cancellation): return []
    case (.threw(is CancellationError), .failure):
      text = "it threw CancellationError in a task that was not cancelled"
    case (.threw, .failure): return []
    case (.returned, .failure): text = "it returned, and threw no error"
    case (.returned, _): text = "it returned instead of throwing CancellationError"
    case (.threw(let error), .cancellation):
      text = "it threw \(error) instead of CancellationError"
    case (.threw(let error), .value): text = "it threw \(error)"
    }
    return [Finding(guarantee, "\(text): \(when).")]
  }

  /// Checks that the SDK was told of an interruption.
  private func complaints(
    _ guarantee: WrapperGuarantee,
    of request: Request,
    when: String,
    times count: Int = 1
  ) -> [Finding] {
    if request.cancelCount == count { return [] }
    return [Finding(guarantee, "\(when), and the SDK was told \(request.cancelCount) times.")]
  }

  private func misuse(in trial: Trial<Completion>, _ answer: String) -> [Finding] {
    trial.reports.map { Finding(.oneAnswer, "the SDK answered once, \(answer), and yet: \($0)") }
  }
}
