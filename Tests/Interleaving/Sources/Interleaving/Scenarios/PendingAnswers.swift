import CooperativeCancellation
import PendingAnswers

typealias Registry = PendingCalls<ID, Packet>

extension Scenario {
  static let pendingCalls =
    CancellationResponse.allCases.map(pendingAnswerAndCancellation)
    + CancellationResponse.allCases.map(pendingAnswerAndTimeout)
    + [false, true].map(answerToAll)
    + [closeAndNewCall, twoAnswersToOneCall, answerAndOperationThrows]
    + CancellationResponse.allCases.map(takenID) + [reusedID]
    + [.abandonCallback, .deliverResult].map(returnedID)
    + [unclaimedAnswer, takenReturnedID, closeAndReturnedID, returnedIDOperationThrows]
    + CancellationResponse.allCases.map(asyncOperation)
    + [asyncOperationOnMainActor, asyncOperationThrows, closeAndAsyncOperation]
    + [asyncOperationTakenID]

  // MARK: One call

  /// A value is discarded if the cancellation came first, or before the task went on. If the call
  /// does not wait for it, it is handed back to the SDK.
  private static func pendingOutcomes(_ response: CancellationResponse) -> Set<String> {
    switch response {
    case .abandonCallback:
      [
        "value", "cancelled", "cancelled, forwarded, discarded",
        "handed back, cancelled, forwarded, discarded",
      ]
    case .waitForCallback:
      ["value", "cancelled", "cancelled, forwarded, discarded"]
    case .deliverResult: ["value", "value, forwarded", "cancelled"]
    case .ignoreCancellation: ["value"]
    @unknown default: fatalError("a new case needs outcomes of its own")
    }
  }

  private static func timeoutOutcomes(_ response: CancellationResponse) -> Set<String> {
    switch response {
    case .abandonCallback, .ignoreCancellation:
      ["value", "handed back, timed out, forwarded, discarded"]
    case .waitForCallback: ["value", "timed out, forwarded, discarded"]
    case .deliverResult: ["value", "value, forwarded"]
    @unknown default: fatalError("a new case needs outcomes of its own")
    }
  }

  private static func pendingAnswerAndCancellation(_ response: CancellationResponse) -> Scenario {
    Scenario(
      "pending, \(response): answer, cancellation",
      outcomes: pendingOutcomes(response)
    ) { run in
      let (calls, call) = (run.registry(), Call(in: run))
      let task = call.ask(calls, whenCancelled: response) {
        run.thread("SDK") { call.answer(calls) }
      }
      run.thread("canceller") { task.cancel() }
    }
  }

  private static func pendingAnswerAndTimeout(_ response: CancellationResponse) -> Scenario {
    Scenario(
      "pending, \(response): answer, timeout",
      outcomes: timeoutOutcomes(response)
    ) { run in
      let (calls, call) = (run.registry(), Call(in: run))
      call.ask(calls, whenCancelled: response, timeout: .seconds(5)) {
        run.thread("SDK") { call.answer(calls) }
      }
    }
  }

  private static func answerToAll(closes: Bool) -> Scenario {
    Scenario(
      "pending, \(closes ? "close" : "resumeAll"): answer, answer to all, cancellation",
      outcomes: [
        "value",
        "handed back, error, discarded",
        "cancelled",
        "cancelled, forwarded, discarded",
        "handed back, cancelled, forwarded, discarded",
      ]
    ) { run in
      let (calls, call) = (run.registry(), Call(in: run))
      let task = call.ask(calls, whenCancelled: .waitForCallback) {
        run.thread("SDK") { call.answer(calls) }
        run.thread("connection") { calls.answerAll(closes: closes) }
      }
      run.thread("canceller") { task.cancel() }
    }
  }

  private static let closeAndNewCall = Scenario(
    "pending: close, a new call",
    outcomes: ["error"]
  ) { run in
    let (calls, call) = (run.registry(), Call(in: run))
    let isClosed = Shared(false)
    call.begin {
      let isLater = isClosed.value
      return try await call.value(calls) {
        run.expect(!isLater, "the SDK is called after the close")
      }
    }
    run.thread("connection") {
      calls.close(throwing: SDKError())
      isClosed.value = true
    }
  }

  private static let twoAnswersToOneCall = Scenario(
    "pending: answer, answer",
    outcomes: ["handed back, value, discarded"]
  ) { run in
    let (calls, call) = (run.registry(), Call(in: run))
    call.ask(calls) {
      run.thread("SDK") { call.answer(calls) }
      run.thread("SDK again") { call.answer(calls) }
    }
  }

  /// The id is free, when the call has ended.
  private static let answerAndOperationThrows = Scenario(
    "pending: answer, operation throws",
    outcomes: ["error, discarded", "handed back, error, discarded"]
  ) { run in
    let (calls, call) = (run.registry(), Call(in: run))
    call.ask(calls) {
      run.thread("SDK") { call.answer(calls) }
      run.step("refused")
      throw SDKError()
    }
  }

  /// The first call is refused if the other one began before it, and the other one unless the first
  /// has left.
  private static func takenIDOutcomes(_ response: CancellationResponse) -> Set<String> {
    let always: Set = [
      "first already pending, second value",
      "first error, second value",
      "first error, second already pending",
    ]
    return switch response {
    case .abandonCallback:
      always.union([
        "first cancelled, second value",
        "first cancelled, forwarded, second value",
        "first cancelled, forwarded, second already pending",
        // The late answer.
        "handed back, first cancelled, forwarded, second error, discarded",
      ])
    case .waitForCallback:
      always.union([
        "first cancelled, second value",
        "first cancelled, forwarded, second value",
        "first cancelled, forwarded, second already pending",
      ])
    case .deliverResult:
      always.union([
        "first cancelled, second value",
        "first error, forwarded, second value",
        "first error, forwarded, second already pending",
      ])
    case .ignoreCancellation: always
    @unknown default: fatalError("a new case needs outcomes of its own")
    }
  }

  /// The SDK answers the first call with an error, as if late: it may also reach the other.
  private static func takenID(_ response: CancellationResponse) -> Scenario {
    Scenario(
      "pending, \(response): answer, cancellation, a call with the id",
      outcomes: takenIDOutcomes(response)
    ) { run in
      let (calls, first, second) = (run.registry(), Call("first", in: run), Call("second", in: run))
      let current = Shared<Call?>(nil)
      let task = first.ask(calls, whenCancelled: response, ofCurrent: current) {
        run.thread("SDK") { _ = calls.tryResume(ID(1, in: run), throwing: SDKError()) }
      }
      second.ask(calls, ofCurrent: current) { second.answer(calls) }
      run.thread("canceller") { task.cancel() }
    }
  }

  /// The SDK answers the first call, and the id is used again before the first call's task has read
  /// its value. Either the first call returns its value, although it is cancelled, or the second
  /// one finds the id taken by its `onCancel`.
  private static let reusedID = Scenario(
    "pending: answer, a call with the id, cancellation",
    outcomes: [
      "first value, second value",
      "first cancelled",
      "first cancelled, forwarded, discarded, second value",
      "first cancelled, forwarded, discarded, second already pending",
      "handed back, first cancelled, forwarded, discarded, second value",
      "handed back, first cancelled, forwarded, discarded, second already pending",
    ]
  ) { run in
    let (calls, first, second) = (run.registry(), Call("first", in: run), Call("second", in: run))
    let current = Shared<Call?>(nil)
    let task = first.ask(calls, ofCurrent: current) {
      run.thread("SDK") {
        first.answer(calls)
        second.ask(calls, ofCurrent: current) { second.answer(calls) }
      }
    }
    run.thread("canceller") { task.cancel() }
  }

  // MARK: Ids that the SDK returns

  private static func returnedID(_ response: CancellationResponse) -> Scenario {
    Scenario(
      "pending, returned id, \(response): early answer, cancellation",
      outcomes: pendingOutcomes(response)
    ) { run in
      let call = Call(in: run)
      let calls = run.registry { call.handBack($0) }
      let task = call.askForID(calls, whenCancelled: response) {
        run.thread("SDK") { call.answer(calls) }
        run.step("before the id is returned")
        return 1
      }
      run.thread("canceller") { task.cancel() }
    }
  }

  /// Each answer is for the call whose id it has, or no call's: then it is passed on once.
  private static let unclaimedAnswer = Scenario(
    "pending, returned id: two calls, an answer with another id",
    outcomes: ["handed back, first value, second value", "unclaimed, first value, second value"]
  ) { run in
    let (first, second) = (Call("first", in: run), Call("second", in: run))
    let other = Call("other", in: run)
    let calls = run.registry { other.handBack($0) }
    for (id, call) in [(1, first), (2, second)] {
      call.askForID(calls) {
        call.answer(calls, id)
        run.step("before the id is returned")
        return id
      }
    }
    run.thread("SDK") { other.answer(calls, 3) }
  }

  private static let takenReturnedID = Scenario(
    "pending, returned id: two calls with one id, close",
    outcomes: [
      "first error, second error",
      "first already pending, second error",
      "first error, second already pending",
    ]
  ) { run in
    let calls = run.registry()
    for name in ["first", "second"] { Call(name, in: run).askForID(calls) { 1 } }
    run.thread("connection") { calls.close(throwing: SDKError()) }
  }

  private static let closeAndReturnedID = Scenario(
    "pending, returned id: early answer, close",
    outcomes: ["value", "unclaimed, error, discarded", "handed back, error, discarded"]
  ) { run in
    let call = Call(in: run)
    let calls = run.registry { call.handBack($0) }
    call.askForID(calls) {
      run.thread("SDK") { call.answer(calls) }
      run.thread("connection") { calls.close(throwing: SDKError()) }
      run.step("before the id is returned")
      return 1
    }
  }

  private static let returnedIDOperationThrows = Scenario(
    "pending, returned id: early answer, operation throws",
    outcomes: ["unclaimed, error, discarded", "handed back, error, discarded"]
  ) { run in
    let call = Call(in: run)
    let calls = run.registry { call.handBack($0) }
    call.askForID(calls) {
      run.thread("SDK") { call.answer(calls) }
      run.step("refused")
      throw SDKError()
    }
  }

  // MARK: An asynchronous operation

  /// An operation that is cancelled before it has called the SDK stops. Then there is no value.
  private static func asyncOutcomes(_ response: CancellationResponse) -> Set<String> {
    switch response {
    case .abandonCallback:
      [
        "value", "cancelled", "forwarded, cancelled, discarded",
        "forwarded, handed back, cancelled, discarded",
        "handed back, forwarded, cancelled, discarded",
      ]
    case .waitForCallback:
      ["value", "cancelled", "forwarded, cancelled, discarded"]
    case .deliverResult: ["value", "forwarded, value", "cancelled"]
    case .ignoreCancellation: ["value"]
    @unknown default: fatalError("a new case needs outcomes of its own")
    }
  }

  private static func asyncOperation(_ response: CancellationResponse) -> Scenario {
    Scenario(
      "pending, async, \(response): answer, cancellation",
      outcomes: asyncOutcomes(response)
    ) { run in
      let (calls, call) = (run.registry(), Call(in: run))
      let task = call.begin { try await call.send(calls, whenCancelled: response) }
      run.thread("canceller") { task.cancel() }
    }
  }

  private static let asyncOperationOnMainActor = Scenario(
    "pending, async, main: answer, cancellation",
    outcomes: asyncOutcomes(.abandonCallback)
  ) { run in
    let (calls, call) = (run.registry(), Call(in: run))
    let task = call.begin { @MainActor in try await call.send(calls, onMain: true) }
    run.thread("canceller") { task.cancel() }
  }

  private static let asyncOperationThrows = Scenario(
    "pending, async: answer, operation throws, cancellation",
    outcomes: [
      "value",
      "cancelled",
      "cancelled, discarded",
      "handed back, error, discarded",
      "handed back, cancelled, discarded",
    ]
  ) { run in
    let (calls, call) = (run.registry(), Call(in: run))
    let task = call.begin {
      try await call.send(calls, whenCancelled: .waitForCallback, throws: true)
    }
    run.thread("canceller") { task.cancel() }
  }

  private static let closeAndAsyncOperation = Scenario(
    "pending, async: answer, close",
    outcomes: ["value", "error", "handed back, error, discarded"]
  ) { run in
    let (calls, call) = (run.registry(), Call(in: run))
    call.begin { try await call.send(calls) }
    run.thread("connection") { calls.close(throwing: SDKError()) }
  }

  /// The id is taken until the operation has thrown, or `onCancel` has returned.
  private static let asyncOperationTakenID = Scenario(
    "pending, async: cancellation, a call with the id",
    outcomes: [
      "first already pending, second value",
      "first cancelled, second value",
      "first cancelled, second already pending",
      "forwarded, first cancelled, second value",
      "forwarded, first cancelled, second already pending",
    ]
  ) { run in
    let (calls, first, second) = (run.registry(), Call("first", in: run), Call("second", in: run))
    let current = Shared<Call?>(nil)
    let task = first.begin { try await first.send(calls, ofCurrent: current, isAnswered: false) }
    second.ask(calls, ofCurrent: current) { second.answer(calls) }
    run.thread("canceller") { task.cancel() }
  }
}

// MARK: - The SDK and its callers

extension Run {
  /// Makes a registry, which must be empty in the end.
  func registry(
    ifTaken policy: Registry.TakenIDPolicy = .throwError,
    lateAnswers: Timeout? = nil,
    onUnclaimed: (@Sendable (Packet) -> Void)? = nil
  ) -> Registry {
    let calls = Registry(ifTaken: policy, lateAnswers: lateAnswers) { [self] _, answer in
      guard let onUnclaimed else { return fail("an answer is unclaimed") }
      userCode("onUnclaimed")
      saw("unclaimed")
      if case .success(let value) = answer { onUnclaimed(value) }
    }
    atEnd { [self] in expect(calls.count == 0, "\(calls.count) calls are left") }
    return calls
  }
}

/// An id or a key that is an object, which must not be released under a lock either.
struct ID: Hashable, Sendable {
  private let number: Int
  private let object: Tracked

  init(_ number: Int, in run: Run) {
    self.number = number
    object = Tracked("id \(number)", in: run)
  }

  static func == (one: ID, other: ID) -> Bool { one.number == other.number }

  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension PendingCalls {
  func answerAll(closes: Bool) {
    if closes {
      close(throwing: SDKError())
    } else {
      resumeAll(throwing: SDKError())
    }
  }
}

extension Call {
  /// Makes a task with a call by id.
  ///
  /// - Parameter current: The call for which the SDK works, if it can work for one only.
  @discardableResult
  func ask(
    _ calls: Registry,
    _ id: Int = 1,
    whenCancelled response: CancellationResponse = .abandonCallback,
    timeout: Timeout? = nil,
    ofCurrent current: Shared<Call?>? = nil,
    in operation: @escaping @Sendable () throws -> Void
  ) -> Task<Void, Never> {
    begin { [self] in
      try await value(
        calls,
        id,
        whenCancelled: response,
        timeout: timeout,
        ofCurrent: current,
        in: operation
      )
    }
  }

  nonisolated(nonsending) func value(
    _ calls: Registry,
    _ id: Int = 1,
    whenCancelled response: CancellationResponse = .abandonCallback,
    timeout: Timeout? = nil,
    ofCurrent current: Shared<Call?>? = nil,
    in operation: () throws -> Void
  ) async throws -> sending Packet {
    let value = try await calls.value(
      for: ID(id, in: run),
      whenCancelled: response,
      timeout: timeout
    ) {
      current?.value = self
      try operation()
    } onCancel: {
      onCancel(ofCurrent: current)
    } onDiscard: { [self] in
      onDiscard($0)
    }
    return own(value)
  }

  /// Makes a task with a call whose id the SDK returns.
  @discardableResult
  func askForID(
    _ calls: Registry,
    whenCancelled response: CancellationResponse = .abandonCallback,
    in operation: @escaping @Sendable () throws -> Int
  ) -> Task<Void, Never> {
    begin { [self] in
      let value = try await calls.value(whenCancelled: response) {
        ID(try operation(), in: run)
      } onCancel: { _ in
        onCancel()
      } onDiscard: { [self] in
        onDiscard($0)
      }
      return own(value)
    }
  }

  /// Calls an SDK that is asynchronous, and answers when it has been called.
  func send(
    _ calls: Registry,
    whenCancelled response: CancellationResponse = .abandonCallback,
    throws: Bool = false,
    ofCurrent current: Shared<Call?>? = nil,
    isAnswered: Bool = true,
    onMain: Bool = false,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> sending Packet {
    let (forwards, operations) = (Shared(0), Shared(0))
    let value = try await calls.value(forSending: ID(1, in: run), whenCancelled: response) {
      [self] in
      _ = isolation  // Captured, so that the closure belongs to it.
      run.expect(operations.value == 0, "operation runs again")
      operations.value += 1
      current?.value = self
      if onMain { MainActor.assertIsolated() }
      run.step("before the SDK is called")
      run.expect(result == nil || Task.isCancelled, "the operation is not cancelled at the end")
      try Task.checkCancellation()
      if isAnswered {
        run.thread("SDK") { self.answer(calls) }
        run.step("after the SDK was called")
      } else {
        // The call ends meanwhile, without a preemption.
        await Task {}.value
      }
      if `throws` { throw SDKError() }
    } onCancel: { [self] in
      _ = isolation
      // Perhaps after the call, unlike that of a synchronous operation.
      run.userCode("onCancel")
      if onMain { MainActor.assertIsolated() }
      run.expect(forwards.value == 0, "onCancel runs again")
      run.expect(current == nil || current?.value === self, "onCancel reaches another call")
      forwards.value += 1
      run.saw("forwarded")
    } onDiscard: { [self] in
      onDiscard($0)
    }
    return own(value)
  }

  /// Answers the call. A value that no call takes is still the SDK's.
  func answer(_ calls: Registry, _ id: Int = 1) {
    if let value = calls.tryResume(ID(id, in: run), sending: packet()) {
      run.saw("handed back")
      handBack(value)
    }
  }

  func handBack(_ value: Packet) { onDiscard(value) }

  func onCancel(ofCurrent current: Shared<Call?>?) {
    run.expect(
      current == nil || current?.value === self,
      "\(name)'s onCancel reaches \(current?.value?.name ?? "no call")"
    )
    onCancel()
  }

  func own(_ value: sending Packet) -> sending Packet {
    run.expect(value.name.hasPrefix(name), "\(name) receives \(value.name)")
    return value
  }
}
