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
    var findings = complaints(.answer, about: await trial.end(), when: "the SDK had answered")
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
    return complaints(.error, aboutFailed: end, when: "the SDK had reported an error")
      + misuse(in: trial, "with an error")
  }

  func answerInsideCall() async -> [Finding] {
    let (trial, _) = makeTrial()
    trial.fake.whenCalled { [success] in $0.answer(success) }
    trial.start()
    let when = "the SDK had answered before its method returned"
    return complaints(.answerInsideCall, about: await trial.end(), when: when)
  }

  func checkBefore() async -> [Finding] {
    let (trial, _) = makeTrial()
    trial.fake.whenCalled { [success] in $0.answer(success) }
    trial.task.cancel()
    trial.start()
    let when = "it was called in a task that was cancelled already"
    let end = await trial.end()
    if trial.fake.callCount == 0 {
      return complaints(.checkBefore, about: end, cancelled: true, when: when)
    }
    return [Finding(.checkBefore, "it called the SDK in a task that was cancelled already.")]
  }

  func cancelledWhileWaiting() async -> [Finding] {
    guard let (trial, request) = await beginTrial() else { return [] }
    trial.task.cancel()
    var findings: [Finding]
    if response == .abandonCallback {
      let when = "the task was cancelled, and the SDK did not answer"
      findings = complaints(.prompt, about: await trial.end(), cancelled: true, when: when)
    } else {
      _ = await trial.isForwarded(to: request)
      request.answer(success)
      let when = "the task was cancelled, and then the SDK answered"
      findings = complaints(
        .lateAnswer,
        about: await trial.end(),
        cancelled: response != .deliverResult,
        when: when
      )
    }
    if request.cancelCount != 1 {
      let text = "the task was cancelled, and the SDK was told \(request.cancelCount) times."
      findings.append(Finding(.forwarding, text))
    }
    return findings
  }

  func droppedCompletion() async -> [Finding] {
    // A wrapper that makes an exception here would wait until the limit, and its task would be left.
    guard guarantees.contains(.droppedCompletion) else { return [] }
    guard let (trial, request) = await beginTrial() else { return [] }
    request.drop()
    let when = "the SDK had released the completion without calling it"
    return complaints(.droppedCompletion, aboutFailed: await trial.end(), when: when)
  }

  func timeout() async -> [Finding] {
    // The task of a trial waits for the start, so none is made in vain.
    guard makeCall().passTime != nil else { return [] }
    let (trial, call) = makeTrial()
    guard let passTime = call.passTime else { return [] }
    trial.start()
    guard let request = await trial.nextCall() else { return [] }
    guard (try? await passTime(limit)) != nil else {
      return [
        Finding(.timeout, "nothing slept on the clock. Does the wrapper's `timeout:` use it?")
      ]
    }
    let when = "the time was up"
    var findings: [Finding]
    if response == .abandonCallback {
      findings = complaints(.timeout, aboutFailed: await trial.end(), when: when)
    } else {
      _ = await trial.isForwarded(to: request)
      request.answer(success)
      let end = await trial.end()
      findings =
        response == .deliverResult
        ? complaints(.timeout, about: end, when: when)
        : complaints(.timeout, aboutFailed: end, when: when)
    }
    if request.cancelCount != 1 {
      let text = "the time was up, and the SDK was told \(request.cancelCount) times."
      findings.append(Finding(.timeout, text))
    }
    return findings
  }
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
    return complaints(
      .checkAfter,
      about: await trial.end(),
      cancelled: response != .deliverResult,
      when: "the task was cancelled while the SDK answered inside the call"
    )
  }

  func lateAnswer() async -> [Finding] {
    guard let (trial, request) = await beginTrial() else { return [] }
    trial.task.cancel()
    if response == .abandonCallback {
      _ = await trial.end()
    } else {
      _ = await trial.isForwarded(to: request)
    }
    request.answer(success)
    _ = await trial.end()
    return trial.reports.map {
      Finding(.lateAnswer, "the first answer after a cancellation counts as misuse: \($0)")
    }
  }

  func secondAnswer() async -> [Finding] {
    guard let (trial, request) = await beginTrial() else { return [] }
    request.answer(success)
    request.answer(success)
    return complaints(.secondAnswer, about: await trial.end(), when: "the SDK had answered twice")
  }

  /// Repeated, because a thread that gets no time looks like a deadlock, and a cancellation before the
  /// wrapper sleeps does not cause one.
  func noLockHeld() async -> [Finding] {
    guard guarantees.contains(.forwarding) else { return [] }
    var count = 0
    for _ in 1...4 where count < 2 {
      guard let isDeadlock = await deadlocks() else { return [] }
      if isDeadlock { count += 1 }
    }
    if count < 2 { return [] }
    let text = """
      deadlock: the wrapper cancels the SDK inside the runtime's cancellation handler, and there it waits for the \
      SDK's lock; the SDK holds that while it calls the completion, which waits for the handler's end.
      """
    return [Finding(.noLockHeld, text)]
  }

  /// The SDK holds its lock. The task is cancelled, and the SDK is told, which waits for the lock. Then the
  /// SDK calls the completion. Returns `nil` if the SDK is not told.
  private func deadlocks() async -> Bool? {
    guard let (trial, request) = await beginTrial() else { return nil }
    request.lock.hold()
    startOnOwnThread { trial.task.cancel() }
    let isForwarded = await trial.isForwarded(to: request)
    request.lock.call(isCallback: true) { request.answer(success) }
    request.lock.release()
    _ = await trial.end()
    return isForwarded ? request.lock.deadlocks > 0 : nil
  }
}

extension WrapperCheck {
  /// Checks the end of a call that should return, or throw `CancellationError`.
  private func complaints(
    _ guarantee: WrapperGuarantee,
    about end: Trial<Completion>.End,
    cancelled: Bool = false,
    when: String
  ) -> [Finding] {
    let text: String
    switch end {
    case .stillRuns:
      return hang(guarantee, when)
    case .returned:
      if !cancelled || !canThrow { return [] }
      text = "it returned instead of throwing CancellationError: \(when)."
    case .threw(let error):
      if cancelled, error is CancellationError { return [] }
      text = "it threw \(error)\(cancelled ? " instead of CancellationError" : ""): \(when)."
    }
    return [Finding(guarantee, text)]
  }

  /// Checks the end of a call that should throw an error other than `CancellationError`.
  private func complaints(
    _ guarantee: WrapperGuarantee,
    aboutFailed end: Trial<Completion>.End,
    when: String
  ) -> [Finding] {
    switch end {
    case .stillRuns: hang(guarantee, when)
    case .returned:
      canThrow ? [Finding(guarantee, "it returned, and threw no error: \(when).")] : []
    case .threw(is CancellationError):
      [Finding(guarantee, "it threw CancellationError in a task that was not cancelled: \(when).")]
    case .threw: []
    }
  }

  private func hang(_ guarantee: WrapperGuarantee, _ when: String) -> [Finding] {
    var finding = Finding(guarantee, "it had not ended after \(limit): \(when).")
    finding.hangs = true
    return [finding]
  }

  private func misuse(in trial: Trial<Completion>, _ answer: String) -> [Finding] {
    trial.reports.map { Finding(.oneAnswer, "the SDK answered once, \(answer), and yet: \($0)") }
  }
}
