internal import CooperativeCancellation

// The trials that answer a wait that may have ended.

extension WrapperCheck {
  func checkAfter() async -> Int? {
    let trial = makeTrial()
    // Does not capture the trial, which keeps the fake.
    trial.fake.whenCalled { [success, task = trial.task, isOwnTask] request in
      task.cancel()
      isOwnTask.change { $0 = $0 && isCurrent(task) }
      request.answer(success)
    }
    trial.start()
    let when = "the task was cancelled while the SDK answered inside the call"
    await expect(deliversLate ? .value : .cancellation, of: trial, .checkAfter, when: when)
    return await deliveries(of: trial)
  }

  /// The task is cancelled after the answer, inside the SDK's method. No task that calls it can
  /// resume in between.
  func cancelledAfterAnswerInsideCall() async -> Int? {
    let trial = makeTrial()
    // Does not capture the trial, which keeps the fake.
    trial.fake.whenCalled { [success, task = trial.task, isOwnTask] request in
      request.answer(success)
      task.cancel()
      isOwnTask.change { $0 = $0 && isCurrent(task) }
    }
    trial.start()
    await expectCancellationIfWithheld(by: trial, after: "the SDK had answered inside the call")
    return await deliveries(of: trial)
  }

  /// The task is cancelled after the answer, while the wrapper's thread is held. `checkAfter` has
  /// checked its end.
  func cancelledAfterAnswer() async -> Int? {
    guard let (trial, request) = await beginTrial() else { return nil }
    await trial.whileHeld { [success] in
      request.answer(success)
      trial.task.cancel()
    }
    await expectCancellationIfWithheld(by: trial, after: "the SDK had answered")
    return await deliveries(of: trial)
  }

  /// If the call does not deliver the value that came first, a cancellation has ended it, and the
  /// SDK must know.
  private func expectCancellationIfWithheld(by trial: Attempt, after answered: String) async {
    guard response != .ignoreCancellation,
      // What is wrong with any cancelled call was found before.
      !hasFound(.forwarding),
      case .failure = await trial.end(),
      // Another task that calls the SDK, such as that of shared calls, may have returned the value
      // before that.
      isOwnTask.state,
      let request = trial.fake[1]
    else { return }
    let when = "the task was cancelled after \(answered), and the value was not delivered"
    await expectCancellation(of: request, in: trial, .forwarding, when: when, isInterrupted: true)
  }

  /// How many values were delivered: `nil` if that is unknown, because the wrapper may have
  /// returned a fallback.
  private func deliveries(of trial: Attempt) async -> Int? {
    guard case .success = await trial.end() else { return 0 }
    return cancelledEnd == nil ? nil : 1
  }

  func secondAnswer(_ first: Answer, _ second: Answer) async -> Int? {
    guard let (trial, request) = await beginTrial() else { return nil }
    // A wrapper may try again after an error.
    trial.fake.whenCalled { $0.drop() }
    answer(request, first)
    let isDelivered = first == .success
    // A wrapper whose answers change threads may keep no order, and an error and a value are told
    // apart.
    if !isDelivered { _ = await trial.end() }
    answer(request, second)
    let when = "the SDK answered \(isDelivered ? "twice" : "with an error, and then with a value")"
    await expect(isDelivered ? .value : .failure, of: trial, .secondAnswer, when: when)
    return isDelivered ? 1 : 0
  }

  /// The SDK answers while it is being cancelled, on another thread, as one does that waits there
  /// for its callbacks.
  func answeredInsideCancel(_ first: Answer) async -> Int? {
    guard guarantees.contains(.forwarding), response != .ignoreCancellation,
      !hasFound(.noLockHeld), let body = first == .success ? success : failure
    else { return 0 }
    var deliveries: Int? = 0
    let isAnswered = await patiently {
      guard let trial = await answerInsideCancel(body) else { return nil as Bool? }
      // What is wrong with any answer after a cancellation was found before, or is excepted.
      let others: [WrapperGuarantee] = [.prompt, .forwarding, .lateAnswer, .checkAfter]
      if others.allSatisfy({ guarantees.contains($0) && !hasFound($0) }) {
        let end: WrapperEnd = deliversLate ? first == .success ? .value : .failure : .cancellation
        let when = "the SDK answered inside its `cancel()`, with \(first)"
        await expect(end, of: trial, .lateAnswer, when: when)
      }
      deliveries = await self.deliveries(of: trial)
      return true
    }
    if isAnswered == nil {
      let text = """
        deadlock: the wrapper calls the SDK's `cancel()` while it holds a lock that the completion takes, too; an SDK \
        that answers before its `cancel()` returns waits for that lock.
        """
      find(.noLockHeld, text)
    }
    return deliveries
  }

  /// Returns `nil` if the answer had to wait for the cancellation.
  private func answerInsideCancel(_ body: @escaping @Sendable (Completion) -> Void) async
    -> Attempt?
  {
    let hasBegun = Observed(false)
    let hasAnswered = Observed(false)
    let isBlocked = Observed(false)
    let trial = makeTrial()
    // Does not capture the check, which keeps the fake.
    trial.fake.whenCancelled { [answerTime] request in
      guard request.cancelCount == 1 else { return }
      startOnOwnThread {
        hasBegun.change { $0 = true }
        request.answer(body)
        hasAnswered.change { $0 = true }
      }
      // A completion that takes long, because it decodes, is not blocked.
      let milliseconds = max(100, 3 * answerTime.state / 1_000_000)
      for _ in 1...milliseconds where !hasAnswered.state { pauseThread() }
      isBlocked.change { $0 = hasBegun.state && !hasAnswered.state }
    }
    trial.start()
    guard let request = await trial.nextCall() else { return trial }
    trial.task.cancel()
    if await trial.isForwarded(to: request) {
      _ = await patiently { try? await hasAnswered.wait(within: limit) { $0 ? $0 : nil } }
    }
    return isBlocked.state ? nil : trial
  }

  /// Repeated, because a cancellation that comes before the wrapper sleeps may miss its
  /// cancellation handler.
  func noLockHeld() async -> Int? {
    guard guarantees.contains(.forwarding), response != .ignoreCancellation else { return 0 }
    var deliveries: [Int?] = []
    while deliveries.count < 20, let told = await tellUnderLock() {
      deliveries.append(told.deliveries)
      if !told.isWell { break }
    }
    return deliveries.sum
  }

  /// Cancels the task while the SDK holds its lock, and notices if the cancellation waits for that
  /// lock.
  private func tellUnderLock() async -> (isWell: Bool, deliveries: Int?)? {
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
    if isForwarded, returns == nil {
      let text = """
        deadlock: the wrapper cancels the SDK inside the runtime's cancellation handler, where it waits \
        for the SDK's lock; an SDK that holds that lock while it calls the completion waits for the \
        handler to return.
        """
      find(.noLockHeld, text)
    }
    return (isForwarded && returns != nil, await deliveries(of: trial))
  }
}

/// Whether the code that asks runs in this task, and not in a child or a separate one. A task and
/// the current one have no common type, but hash as the same object.
private func isCurrent(_ task: Task<Void, Never>) -> Bool {
  withUnsafeCurrentTask { $0?.hashValue == task.hashValue }
}
