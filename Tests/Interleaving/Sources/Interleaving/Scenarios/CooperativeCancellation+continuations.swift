import CooperativeCancellation

extension Scenario {
  static let continuations =
    CancellationResponse.allCases.flatMap { [resume($0), twoResumes($0), dropOfContinuation($0)] }
    + [
      twoDrops, resumeOrDrop, bodyThrows, fallbackResume, fallbackDropOfContinuation, uncancellable,
      equalCopies, abandonable, abandonableOnMainActor, abandonableOnActor, abandonableThrows,
      abandonablePriority,
    ]

  typealias Continuation = CancellableContinuation<Packet, any Error>

  // MARK: Continuations

  /// A wait for a value that is not `Sendable`, which a thread cancels.
  ///
  /// - Parameter body: Gets the function that resumes with a new value, and notes what `resume`
  ///   returns.
  private static func cancelledContinuation(
    _ title: String,
    _ response: CancellationResponse = .abandonCallback,
    outcomes: Set<String>,
    _ body:
      @escaping @Sendable (Run, Continuation, @escaping @Sendable (Continuation) -> Void)
      throws -> Void
  ) -> Scenario {
    Scenario("continuation, \(response): \(title), cancellation", outcomes: outcomes) { run in
      let call = Call(in: run)
      let deciding = Shared<[String]>([])
      let resume: @Sendable (Continuation) -> Void = { continuation in
        let packet = call.packet()
        let name = packet.name
        if continuation.tryResume(returning: consume packet) { deciding.value.append(name) }
      }
      let task = call.begin {
        try await withCancellableThrowingContinuation(whenCancelled: response) {
          (continuation: Continuation) in
          try body(run, continuation, resume)
        } onCancel: {
          run.expect(Run.entity == call.name, "onCancel runs in \(Run.entity)")
          call.onCancel()
        } onDiscard: {
          call.onDiscard($0)
        }
      }
      run.thread("canceller") { task.cancel() }
      run.atEnd {
        switch call.result {
        case .success(let name):
          run.expect(deciding.value == [name], "\(name) is delivered, but \(deciding.value) decide")
        // The error came after it.
        case .failure(is SDKError): break
        default:
          run.expect(deciding.value.isEmpty, "\(deciding.value) decide, but are not delivered")
        }
      }
    }
  }

  /// The closure runs in a cancelled task, too, and no check after withholds a value.
  private static func resume(_ response: CancellationResponse) -> Scenario {
    let outcomes: Set<String> =
      switch response {
      case .ignoreCancellation: ["value"]
      case .deliverResult: ["value", "value, forwarded"]
      case .abandonCallback, .waitForCallback: ["value", "cancelled, forwarded, discarded"]
      @unknown default: fatalError("a new case needs outcomes of its own")
      }
    return cancelledContinuation("resume", response, outcomes: outcomes) {
      run,
      continuation,
      resume in
      run.thread("SDK") { resume(continuation) }
    }
  }

  private static func twoResumes(_ response: CancellationResponse) -> Scenario {
    let report = "discarded, report of completionCalledAgain"
    let outcomes: Set<String> =
      switch response {
      case .ignoreCancellation: ["value, \(report)"]
      case .deliverResult: ["value, \(report)", "value, forwarded, \(report)"]
      case .abandonCallback, .waitForCallback:
        ["value, \(report)", "cancelled, forwarded, \(report)"]
      @unknown default: fatalError("a new case needs outcomes of its own")
      }
    return cancelledContinuation("resume, resume", response, outcomes: outcomes) {
      run,
      continuation,
      resume in
      for number in 1...2 {
        run.thread("SDK \(number)") { resume(continuation) }
      }
    }
  }

  private static func dropOfContinuation(_ response: CancellationResponse) -> Scenario {
    let outcomes: Set<String> =
      switch response {
      case .ignoreCancellation: ["dropped"]
      case .deliverResult: ["dropped", "dropped, forwarded"]
      case .abandonCallback, .waitForCallback: ["dropped", "cancelled, forwarded"]
      @unknown default: fatalError("a new case needs outcomes of its own")
      }
    return cancelledContinuation("drop", response, outcomes: outcomes) { run, continuation, _ in
      run.thread("SDK") { _ = continuation }
    }
  }

  /// Only the release of the last copy is a drop.
  private static let twoDrops = cancelledContinuation(
    "drop, drop",
    outcomes: ["dropped", "cancelled, forwarded"]
  ) { run, continuation, _ in
    for number in 1...2 {
      run.thread("SDK \(number)") { _ = continuation }
    }
  }

  private static let resumeOrDrop = cancelledContinuation(
    "resume, drop",
    outcomes: ["value", "cancelled, forwarded, discarded"]
  ) { run, continuation, resume in
    run.thread("SDK") { resume(continuation) }
    run.thread("SDK's owner") { _ = continuation }
  }

  private static let bodyThrows = cancelledContinuation(
    "throws, resume",
    outcomes: ["error, discarded"]
  ) { run, continuation, resume in
    run.thread("SDK") { resume(continuation) }
    throw SDKError()
  }

  private static func cancelledFallback(
    _ title: String,
    outcomes: Set<String>,
    _ body: @escaping @Sendable (Run, Call, CancellableContinuation<Tracked?, Never>) -> Void
  ) -> Scenario {
    Scenario("continuation, fallback: \(title), cancellation", outcomes: outcomes) { run in
      let call = Call(in: run)
      let task = call.begin {
        let value = await withCancellableContinuation(fallback: nil) {
          body(run, call, $0)
        } onCancel: {
          call.onCancel()
        } onDiscard: {
          if let value = $0 { call.onDiscard(value) }
        }
        guard let value else { throw Fallback() }
        return value
      }
      run.thread("canceller") { task.cancel() }
    }
  }

  private static let fallbackResume = cancelledFallback(
    "resume",
    outcomes: ["value", "Fallback, forwarded, discarded"]
  ) { run, call, continuation in
    run.thread("SDK") { continuation.resume(returning: call.value()) }
  }

  private static let fallbackDropOfContinuation = cancelledFallback(
    "drop",
    outcomes: ["Fallback, report of completionDropped", "Fallback, forwarded"]
  ) { run, _, continuation in
    run.thread("SDK") { _ = continuation }
  }

  private static let uncancellable = Scenario(
    "continuation, uncancellable: resume, resume, cancellation",
    outcomes: ["value, discarded, report of completionCalledAgain"]
  ) { run in
    let call = Call(in: run)
    let task = call.begin {
      await withUncancellableContinuation {
        (continuation: CancellableContinuation<Packet, Never>) in
        for number in 1...2 {
          run.thread("SDK \(number)") { continuation.resume(returning: call.packet()) }
        }
      } onDiscard: {
        call.onDiscard($0)
      }
    }
    run.thread("canceller") { task.cancel() }
  }

  /// A set holds the continuation; whoever removes it resumes it.
  private static let equalCopies = cancelledContinuation(
    "one of two copies in a set",
    outcomes: ["value", "cancelled, forwarded, discarded"]
  ) { run, continuation, resume in
    let waiting = Shared<Set<Continuation>>([continuation])
    for number in 1...2 {
      run.thread("SDK \(number)") {
        if let continuation = waiting.value.remove(continuation) { resume(continuation) }
      }
    }
  }

  // MARK: Abandonable tasks

  /// No "cancelled, forwarded": there is no `onCancel`.
  private static let abandonableOutcomes: Set = ["value", "cancelled", "cancelled, discarded"]

  private static let abandonable = Scenario(
    "abandonable task: end, cancellation",
    outcomes: abandonableOutcomes
  ) { run in
    let call = Call(in: run)
    let task = call.begin {
      try await withAbandonableTask {
        run.step("operation")
        return call.packet()
      } onDiscard: {
        run.expect(Run.entity != call.name, "onDiscard runs in the caller's task")
        call.onDiscard($0)
      }
    }
    run.thread("canceller") { task.cancel() }
  }

  private static let abandonableOnMainActor = Scenario(
    "abandonable task, main actor: end, cancellation",
    outcomes: abandonableOutcomes
  ) { run in
    let call = Call(in: run)
    let task = call.begin { @MainActor in
      try await withAbandonableTask {
        MainActor.preconditionIsolated()
        run.step("operation")
        return call.packet()
      } onDiscard: {
        MainActor.preconditionIsolated()
        call.onDiscard($0)
      }
    }
    run.thread("canceller") { task.cancel() }
  }

  private actor Home {
    /// The operation belongs to this actor, and the caller to none.
    nonisolated func wait(for call: Call, in run: Run) async throws -> sending Packet {
      try await withAbandonableTask { [self] in
        try await work(call, in: run)
      } onDiscard: {
        call.onDiscard($0)
      }
    }

    private func work(_ call: Call, in run: Run) async throws -> sending Packet {
      run.step("operation")
      await withCheckedContinuation { continuation in
        run.thread("other actor") { continuation.resume() }
      }
      try Task.checkCancellation()
      return call.packet()
    }
  }

  /// The operation suspends, and ends by itself when it sees that its task is cancelled.
  private static let abandonableOnActor = Scenario(
    "abandonable task, actor: end, cancellation",
    outcomes: abandonableOutcomes
  ) { run in
    let call = Call(in: run)
    let home = Home()
    let task = call.begin { try await home.wait(for: call, in: run) }
    run.thread("canceller") { task.cancel() }
  }

  /// A late error is ignored.
  private static let abandonableThrows = Scenario(
    "abandonable task: error, cancellation",
    outcomes: ["error", "cancelled"]
  ) { run in
    let call = Call(in: run)
    let task = call.begin {
      let packet: Packet = try await withAbandonableTask {
        run.step("operation")
        throw SDKError()
      }
      return packet
    }
    run.thread("canceller") { task.cancel() }
  }

  /// The caller's priority is raised, which the runtime tells the library under its own lock.
  private static let abandonablePriority = Scenario(
    "abandonable task: end, cancellation, higher priority",
    outcomes: abandonableOutcomes
  ) { run in
    let call = Call(in: run)
    let task = call.begin {
      try await withAbandonableTask { () -> sending Packet in
        run.step("operation")
        return call.packet()
      } onDiscard: {
        call.onDiscard($0)
      }
    }
    run.thread("canceller") { task.cancel() }
    run.thread("raiser") { task.escalatePriority(to: .high) }
  }
}
