import CooperativeCancellation

// Each shape of a completion handler is an adapter of the same wait, so few shapes stand for all.

extension Scenario {
  static let bridges =
    CancellationResponse.allCases.flatMap {
      [
        answer($0), answerOnMainActor($0), twoAnswers($0), failure($0), drop($0),
        ownCancellation($0),
        fallbackAnswer($0), fallbackDrop($0),
      ]
    } + [
      answerOrDrop, operationThrows, lateCancellation, valueBesideError, successOrFailure,
      noClosure,
      unconditionalAnswers, unconditionalDrop,
    ]

  typealias Completion = @Sendable (Result<Tracked, any Error>) -> Void

  // MARK: Calls

  /// What an SDK and its thread do with the completion. It runs in `operation`.
  typealias Answers = @Sendable (Run, Call, @escaping Completion) throws -> Void

  /// Waits for the SDK on the caller's actor. Only the task may release the request.
  nonisolated(nonsending) static func bridge(
    _ call: Call,
    in run: Run,
    whenCancelled response: CancellationResponse = .abandonCallback,
    timeout: Timeout? = nil,
    _ sdk: Answers
  ) async throws -> Tracked {
    let request = "\(call.name)'s request"
    run.atEnd {
      for (_, entity) in run.releases.filter({ $0.value == request }) {
        run.expect(entity == call.name, "\(request) is released by \(entity)")
      }
    }
    return try await withAsyncThrowingValue(whenCancelled: response, timeout: timeout) {
      completion in
      try sdk(run, call, completion)
      return Tracked(request, in: run)
    } onCancel: { (_: Tracked) in
      run.expect(Run.entity == call.name, "onCancel runs in \(Run.entity)")
      call.onCancel()
    } onDiscard: {
      call.onDiscard($0)
    }
  }

  /// A call that a thread cancels.
  private static func cancelledBridge(
    _ title: String,
    _ response: CancellationResponse,
    outcomes: Set<String>,
    _ sdk: @escaping Answers
  ) -> Scenario {
    Scenario("bridge, \(response): \(title), cancellation", outcomes: outcomes) { run in
      let call = Call(in: run)
      let task = call.begin {
        try await bridge(call, in: run, whenCancelled: response, sdk)
      }
      run.thread("canceller") { task.cancel() }
    }
  }

  // MARK: Answers and cancellations

  /// "cancelled" alone is a cancellation before the call. After the call, whoever is cancelled has
  /// told the SDK, also if the answer came first.
  private static func answerOutcomes(_ response: CancellationResponse) -> Set<String> {
    switch response {
    case .ignoreCancellation: ["value"]
    case .deliverResult: ["value", "value, forwarded", "cancelled"]
    case .abandonCallback, .waitForCallback:
      ["value", "cancelled", "cancelled, forwarded, discarded"]
    @unknown default: fatalError("a new case needs outcomes of its own")
    }
  }

  private static func answer(_ response: CancellationResponse) -> Scenario {
    cancelledBridge("answer", response, outcomes: answerOutcomes(response)) {
      run,
      call,
      completion in
      run.thread("SDK") { completion(.success(call.value())) }
    }
  }

  private static func answerOnMainActor(_ response: CancellationResponse) -> Scenario {
    Scenario(
      "bridge, \(response), main actor: answer, cancellation",
      outcomes: answerOutcomes(response)
    ) { run in
      let call = Call(in: run)
      let task = call.begin { @MainActor in
        try await withAsyncThrowingValue(whenCancelled: response) {
          (completion: @escaping Completion) in
          MainActor.preconditionIsolated()
          run.thread("SDK") { completion(.success(call.value())) }
        } onCancel: {
          MainActor.preconditionIsolated()
          call.onCancel()
        } onDiscard: {
          call.onDiscard($0)
        }
      }
      run.thread("canceller") { task.cancel() }
    }
  }

  /// The second answer is reported, whatever became of the first.
  private static func twoAnswers(_ response: CancellationResponse) -> Scenario {
    let report = "report of completionCalledAgain"
    let outcomes: Set<String> =
      switch response {
      case .ignoreCancellation: ["value, discarded, \(report)"]
      case .deliverResult:
        ["value, discarded, \(report)", "value, forwarded, discarded, \(report)", "cancelled"]
      case .abandonCallback, .waitForCallback:
        [
          "value, discarded, \(report)", "cancelled", "cancelled, forwarded, discarded, \(report)",
          "cancelled, forwarded, discarded, \(report)",
        ]
      @unknown default: fatalError("a new case needs outcomes of its own")
      }
    return cancelledBridge("answer, answer", response, outcomes: outcomes) {
      run,
      call,
      completion in
      for number in 1...2 {
        run.thread("SDK \(number)") { completion(.success(call.value())) }
      }
    }
  }

  /// The check after does not withhold an error.
  private static func failure(_ response: CancellationResponse) -> Scenario {
    let outcomes: Set<String> =
      switch response {
      case .ignoreCancellation: ["error"]
      case .deliverResult: ["error", "error, forwarded", "cancelled"]
      case .abandonCallback, .waitForCallback: ["error", "cancelled, forwarded", "cancelled"]
      @unknown default: fatalError("a new case needs outcomes of its own")
      }
    return cancelledBridge("error", response, outcomes: outcomes) { run, _, completion in
      run.thread("SDK") { completion(.failure(SDKError())) }
    }
  }

  private static func drop(_ response: CancellationResponse) -> Scenario {
    let outcomes: Set<String> =
      switch response {
      case .ignoreCancellation: ["dropped"]
      case .deliverResult: ["dropped", "dropped, forwarded", "cancelled"]
      case .abandonCallback, .waitForCallback: ["dropped", "cancelled, forwarded", "cancelled"]
      @unknown default: fatalError("a new case needs outcomes of its own")
      }
    return cancelledBridge("drop", response, outcomes: outcomes) { run, _, completion in
      run.thread("SDK") { _ = completion }
    }
  }

  private static let answerOrDrop = Scenario(
    "bridge: answer, drop",
    outcomes: ["value", "dropped"]
  ) { run in
    let call = Call(in: run)
    call.begin {
      try await withAsyncThrowingValue { (completion: @escaping @Sendable (Tracked) -> Void) in
        let completion = Shared<(@Sendable (Tracked) -> Void)?>(completion)
        run.thread("SDK") { completion.value.take()?(call.value()) }
        run.thread("SDK's owner") { completion.value = nil }
      } onDiscard: {
        call.onDiscard($0)
      }
    }
  }

  /// Its error overrides an earlier answer, and nothing is forwarded.
  private static let operationThrows = cancelledBridge(
    "throws, answer, answer",
    .abandonCallback,
    outcomes: ["error, discarded, report of completionCalledAgain", "cancelled"]
  ) { run, call, completion in
    for number in 1...2 {
      run.thread("SDK \(number)") { completion(.success(call.value())) }
    }
    throw SDKError()
  }

  /// The callback cancels its own task and answers, both inside `operation`: nothing is forwarded.
  private static func ownCancellation(_ response: CancellationResponse) -> Scenario {
    let isDelivered = response == .deliverResult || response == .ignoreCancellation
    return Scenario(
      "bridge, \(response): cancels itself and answers in operation, answer",
      outcomes: [
        "\(isDelivered ? "value" : "cancelled, forwarded"), discarded, report of completionCalledAgain"
      ]
    ) { run in
      let call = Call(in: run)
      call.begin {
        try await bridge(call, in: run, whenCancelled: response) { run, call, completion in
          run.thread("SDK") {
            run.step("later")
            completion(.success(call.value()))
          }
          withUnsafeCurrentTask { $0?.cancel() }
          completion(.success(call.value()))
        }
      }
    }
  }

  /// The SDK's callback cancels the task on the SDK's thread, and then answers.
  private static let lateCancellation = Scenario(
    "bridge: callback cancels the task and answers",
    outcomes: ["cancelled, forwarded, discarded"]
  ) { run in
    let call = Call(in: run)
    let task = Shared<Task<Void, Never>?>(nil)
    task.value = call.begin {
      try await bridge(call, in: run) { run, call, completion in
        run.thread("SDK") {
          task.value.take()?.cancel()
          completion(.success(call.value()))
        }
      }
    }
  }

  // MARK: Other shapes

  private static let valueBesideError = Scenario(
    "bridge: value beside an error, cancellation",
    outcomes: [
      "error, discarded", "cancelled", "cancelled, forwarded, discarded",
    ]
  ) { run in
    let call = Call(in: run)
    let task = call.begin {
      try await withAsyncThrowingValue {
        (completion: @escaping @Sendable (Tracked?, (any Error)?) -> Void) in
        run.thread("SDK") { completion(call.value(), SDKError()) }
      } onCancel: {
        call.onCancel()
      } onDiscard: {
        call.onDiscard($0)
      }
    }
    run.thread("canceller") { task.cancel() }
  }

  /// The two closures count as one completion.
  private static let successOrFailure = successAndFailure(
    "success, failure",
    outcomes: [
      "value, report of completionCalledAgain", "error, discarded, report of completionCalledAgain",
    ],
    success: { call, success in success(call.value()) },
    failure: { failure in failure(SDKError()) }
  )

  private static let noClosure = successAndFailure(
    "drop of success, drop of failure",
    outcomes: ["dropped"],
    success: { _, _ in },
    failure: { _ in }
  )

  private static func successAndFailure(
    _ title: String,
    outcomes: Set<String>,
    success use: @escaping @Sendable (Call, @Sendable (Tracked) -> Void) -> Void,
    failure useFailure: @escaping @Sendable (@Sendable ((any Error)?) -> Void) -> Void
  ) -> Scenario {
    Scenario("bridge: \(title)", outcomes: outcomes) { run in
      let call = Call(in: run)
      call.begin {
        try await withAsyncThrowingValue {
          (
            success: @escaping @Sendable (Tracked) -> Void,
            failure: @escaping @Sendable ((any Error)?) -> Void
          ) in
          run.thread("success") { use(call, success) }
          run.thread("failure") { useFailure(failure) }
        } onDiscard: {
          call.onDiscard($0)
        }
      }
    }
  }

  // MARK: Bridges that do not throw

  /// A fallback was returned.
  struct Fallback: Error {}

  private static func cancelledFallback(
    _ title: String,
    _ response: CancellationResponse,
    outcomes: Set<String>,
    _ sdk: @escaping @Sendable (Run, Call, @escaping @Sendable (Tracked?) -> Void) -> Void
  ) -> Scenario {
    Scenario("bridge, \(response), fallback: \(title), cancellation", outcomes: outcomes) { run in
      let call = Call(in: run)
      let task = call.begin {
        let value = await withAsyncValue(fallback: nil as Tracked?, whenCancelled: response) {
          (completion: @escaping @Sendable (Tracked?) -> Void) in
          sdk(run, call, completion)
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

  private static func fallbackAnswer(_ response: CancellationResponse) -> Scenario {
    cancelledFallback(
      "answer",
      response,
      outcomes: Set(
        answerOutcomes(response).map { $0.replacing("cancelled", with: "Fallback") }
      )
    ) { run, call, completion in
      run.thread("SDK") { completion(call.value()) }
    }
  }

  /// The drop is reported, unless it comes after a cancellation that ended the wait.
  private static func fallbackDrop(_ response: CancellationResponse) -> Scenario {
    let reported = "report of completionDropped"
    let outcomes: Set<String> =
      switch response {
      case .ignoreCancellation: ["Fallback, \(reported)"]
      case .deliverResult:
        ["Fallback, \(reported)", "Fallback, forwarded, \(reported)", "Fallback"]
      case .abandonCallback, .waitForCallback:
        ["Fallback, \(reported)", "Fallback, forwarded", "Fallback"]
      @unknown default: fatalError("a new case needs outcomes of its own")
      }
    return cancelledFallback("drop", response, outcomes: outcomes) { run, _, completion in
      run.thread("SDK") { _ = completion }
    }
  }

  private static let unconditionalAnswers = Scenario(
    "bridge, unconditional: answer, answer, cancellation",
    outcomes: ["value, discarded, report of completionCalledAgain"]
  ) { run in
    let call = Call(in: run)
    let task = call.begin {
      await withAsyncValue { (completion: @escaping @Sendable (Tracked) -> Void) in
        for number in 1...2 {
          run.thread("SDK \(number)") { completion(call.value()) }
        }
      } onDiscard: {
        call.onDiscard($0)
      }
    }
    run.thread("canceller") { task.cancel() }
  }

  /// A wait for `Void` ends.
  private static let unconditionalDrop = Scenario(
    "bridge, unconditional, Void: answer, drop, cancellation",
    outcomes: ["done", "done, report of completionDropped"]
  ) { run in
    let task = run.task("call") {
      await withAsyncValue { (completion: @escaping @Sendable () -> Void) in
        let completion = Shared<(@Sendable () -> Void)?>(completion)
        run.thread("SDK") { completion.value.take()?() }
        run.thread("SDK's owner") { completion.value = nil }
      }
      run.saw("done")
    }
    run.thread("canceller") { task.cancel() }
  }
}
