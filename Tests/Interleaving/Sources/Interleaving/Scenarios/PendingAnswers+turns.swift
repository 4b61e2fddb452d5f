import CooperativeCancellation
import CooperativeCancellationTesting
import PendingAnswers

extension Scenario {
  static let turns =
    CancellationResponse.allCases.map { twoCalls(.waitForTurn, $0) }
    + CancellationResponse.allCases.map { twoCalls(.answerInOrder, $0) }
    + CancellationResponse.allCases.map(secondCancelled)
    + [secondTimesOut, operationThrowsInTurn, threeCalls, onePendingCall, closePendingCall]
    + [false, true].map(answerToAllInLine)
    + [closeAndNewTurn]
    + [.abandonCallback, .waitForCallback].map { lateAnswerOrLimit($0, .seconds(5)) }
    + [.abandonCallback, .waitForCallback].map { lateAnswerOrLimit($0, .seconds(0)) }
    + [
      lateAnswerStopsClock, lateAnswerOrClocksLimit, nextCall(after: .seconds(5)),
      nextCall(after: .seconds(0)),
    ]
    + [.waitForTurn, .answerInOrder].map(returnedIDInLine)
    + [.waitForTurn, .answerInOrder].map(asyncOperationInLine)

  // MARK: Two calls

  /// If the first call is cancelled before it begins, there is no other one.
  private static func firstCancelledOutcomes(_ response: CancellationResponse) -> Set<String> {
    switch response {
    case .abandonCallback, .waitForCallback:
      [
        "first value, second value",
        "first cancelled",
        "first cancelled, forwarded, discarded, second value",
        "first cancelled, forwarded, discarded, second value",
      ]
    case .deliverResult:
      ["first value, second value", "first value, forwarded, second value", "first cancelled"]
    case .ignoreCancellation: ["first value, second value"]
    @unknown default: fatalError("a new case needs outcomes of its own")
    }
  }

  /// Each answer and each `onCancel` reaches the call that it is for.
  private static func twoCalls(
    _ policy: Registry.TakenIDPolicy,
    _ response: CancellationResponse
  ) -> Scenario {
    Scenario(
      "turns, \(policy), \(response): answer, cancellation, next call",
      outcomes: firstCancelledOutcomes(response)
    ) { run in
      let (calls, sdk) = (run.registry(ifTaken: policy), SDK(policy))
      let (first, second) = (Call("first", in: run), Call("second", in: run))
      let task = first.ask(calls, whenCancelled: response, ofCurrent: sdk.current) {
        sdk.take(first)
        second.ask(calls, ofCurrent: sdk.current) {
          sdk.take(second)
          sdk.answer(calls)
        }
        run.thread("SDK") { sdk.answer(calls) }
      }
      run.thread("canceller") { task.cancel() }
    }
  }

  /// In its turn, the call is answered at once, so nothing is forwarded.
  private static func nextCancelledOutcomes(_ response: CancellationResponse) -> Set<String> {
    switch response {
    case .abandonCallback, .waitForCallback:
      [
        "first value, second value",
        "first value, second cancelled",
        "first value, second cancelled, forwarded, discarded",
      ]
    case .deliverResult: ["first value, second value", "first value, second cancelled"]
    case .ignoreCancellation: ["first value, second value"]
    @unknown default: fatalError("a new case needs outcomes of its own")
    }
  }

  private static func secondCancelled(_ response: CancellationResponse) -> Scenario {
    Scenario(
      "turns, \(response): answer, next call, its cancellation",
      outcomes: nextCancelledOutcomes(response)
    ) { run in
      let calls = run.registry(ifTaken: .waitForTurn)
      let (first, second) = (Call("first", in: run), Call("second", in: run))
      first.ask(calls) {
        let task = second.ask(calls, whenCancelled: response) { second.answer(calls) }
        run.thread("SDK") { first.answer(calls) }
        run.thread("canceller") { task.cancel() }
      }
    }
  }

  private static let secondTimesOut = Scenario(
    "turns: answer, next call, its timeout",
    outcomes: ["first value, second value", "first value, second timed out"]
  ) { run in
    let calls = run.registry(ifTaken: .waitForTurn)
    let (first, second) = (Call("first", in: run), Call("second", in: run))
    first.ask(calls) {
      second.ask(calls, timeout: .seconds(5)) { second.answer(calls) }
      run.thread("SDK") { first.answer(calls) }
    }
  }

  private static let operationThrowsInTurn = Scenario(
    "turns: answer, operation throws, next call",
    outcomes: [
      "first error, second value",
      // The answer was late: none is expected after an operation that throws.
      "handed back, first error, second error, discarded",
    ]
  ) { run in
    let calls = run.registry(ifTaken: .waitForTurn)
    let (first, second) = (Call("first", in: run), Call("second", in: run))
    first.ask(calls) {
      run.thread("SDK") { _ = calls.tryResume(ID(1, in: run), throwing: SDKError()) }
      run.step("refused")
      second.ask(calls) { second.answer(calls) }
      throw SDKError()
    }
  }

  // MARK: Three calls

  /// One that is cancelled when its turn has come passes it on.
  private static let threeCalls = Scenario(
    "turns: answer, two next calls, cancellation of one",
    outcomes: [
      "first value, second value, third value",
      "first value, second cancelled, third value",
      "first value, second cancelled, forwarded, discarded, third value",
    ]
  ) { run in
    let calls = run.registry(ifTaken: .waitForTurn)
    let (first, second) = (Call("first", in: run), Call("second", in: run))
    let third = Call("third", in: run)
    first.ask(calls) {
      let task = second.ask(calls) { second.answer(calls) }
      third.ask(calls) { third.answer(calls) }
      run.thread("SDK") { first.answer(calls) }
      run.thread("canceller") { task.cancel() }
    }
  }

  // MARK: A call without an id

  private static let onePendingCall = Scenario(
    "turns, PendingCall: answer, cancellation, next call",
    outcomes: firstCancelledOutcomes(.abandonCallback)
  ) { run in
    let calls = PendingCall<Packet>()
    let (first, second) = (Call("first", in: run), Call("second", in: run))
    let current = Shared<Call?>(nil)
    let task = first.begin {
      try await first.value(calls, ofCurrent: current) {
        second.begin {
          try await second.value(calls, ofCurrent: current) { second.answer(calls) }
        }
        run.thread("SDK") { first.answer(calls) }
      }
    }
    run.thread("canceller") { task.cancel() }
  }

  private static let closePendingCall = Scenario(
    "turns, PendingCall: answer, close, next call",
    outcomes: [
      "first value, second value",
      "first value, second error",
      "handed back, first error, discarded, second error",
      "handed back, first value, second error, discarded",
    ]
  ) { run in
    let calls = PendingCall<Packet>()
    let (first, second) = (Call("first", in: run), Call("second", in: run))
    first.begin {
      try await first.value(calls) {
        second.begin { try await second.value(calls) { second.answer(calls) } }
        run.thread("SDK") { first.answer(calls) }
        run.thread("connection") { calls.close(throwing: SDKError()) }
      }
    }
  }

  // MARK: An answer to all

  /// After `resumeAll`, a call that was not made yet may be made.
  private static func answerToAllOutcomes(_ closes: Bool) -> Set<String> {
    let both: Set = [
      "first cancelled",
      "first error, second error",
      "first cancelled, forwarded, second error",
    ]
    let later: Set = ["first error, second value", "first cancelled, forwarded, second value"]
    return closes ? both : both.union(later)
  }

  private static func answerToAllInLine(closes: Bool) -> Scenario {
    Scenario(
      "turns, \(closes ? "close" : "resumeAll"): answer to all, cancellation, next call",
      outcomes: answerToAllOutcomes(closes)
    ) { run in
      let (calls, sdk) = (run.registry(ifTaken: .waitForTurn), SDK(.waitForTurn))
      let (first, second) = (Call("first", in: run), Call("second", in: run))
      let task = first.ask(calls, whenCancelled: .waitForCallback, ofCurrent: sdk.current) {
        second.ask(calls, ofCurrent: sdk.current) { second.answer(calls) }
        run.thread("connection") { calls.answerAll(closes: closes) }
      }
      run.thread("canceller") { task.cancel() }
    }
  }

  private static let closeAndNewTurn = Scenario(
    "turns: close, a cancelled call, a new call",
    outcomes: [
      "first error, second error",
      "first cancelled, second error",
      "first cancelled, forwarded, second error",
    ]
  ) { run in
    let (calls, isClosed) = (run.registry(ifTaken: .waitForTurn), Shared(false))
    let (first, second) = (Call("first", in: run), Call("second", in: run))
    let task = first.ask(calls) {}
    second.begin {
      let isLater = isClosed.value
      return try await second.value(calls) {
        run.expect(!isLater, "the SDK is called after the close")
      }
    }
    run.thread("connection") {
      calls.close(throwing: SDKError())
      isClosed.value = true
    }
    run.thread("canceller") { task.cancel() }
  }

  // MARK: Late answers

  /// An answer after the limit is the SDK's.
  private static let lateAnswerOutcomes: Set = [
    "value",
    "cancelled",
    "cancelled, forwarded, discarded",
    "cancelled, forwarded, discarded",
    "handed back, cancelled, forwarded, discarded",
  ]

  /// With `.waitForCallback`, the limit also ends the wait.
  private static func lateAnswerOrLimit(
    _ response: CancellationResponse,
    _ limit: Timeout
  ) -> Scenario {
    Scenario(
      "turns, lateAnswers, \(limit), \(response): cancellation, late answer, limit",
      outcomes: lateAnswerOutcomes
    ) { run in
      let calls = run.registry(ifTaken: .waitForTurn, lateAnswers: limit)
      let call = Call(in: run)
      let task = call.ask(calls, whenCancelled: response) {
        run.thread("SDK") { call.answer(calls) }
      }
      run.thread("canceller") { task.cancel() }
    }
  }

  private static let lateAnswerOrClocksLimit = Scenario(
    "turns, lateAnswers, clock: cancellation, late answer, limit",
    outcomes: lateAnswerOutcomes
  ) { run in
    let clock = ManualClock()
    let calls = run.registry(
      ifTaken: .waitForTurn,
      lateAnswers: Timeout(.seconds(5), clock: clock)
    )
    let call = Call(in: run)
    let task = call.ask(calls) { run.thread("SDK") { call.answer(calls) } }
    run.thread("canceller") { task.cancel() }
    run.thread("tester") { clock.advance(by: .seconds(5)) }
  }

  /// The limit must not be waited for, when the answer has arrived.
  private static let lateAnswerStopsClock = Scenario(
    "turns, lateAnswers, clock: cancellation, late answer",
    outcomes: ["cancelled, forwarded, discarded"]
  ) { run in
    let limit = Timeout(.seconds(5), clock: ManualClock())
    let calls = run.registry(ifTaken: .waitForTurn, lateAnswers: limit)
    let call = Call(in: run)
    call.begin {
      let value = try await calls.value(for: ID(1, in: run)) {
        withUnsafeCurrentTask { $0?.cancel() }
      } onCancel: {
        call.onCancel()
        run.thread("SDK") { call.answer(calls) }
      } onDiscard: {
        call.onDiscard($0)
      }
      return value
    }
  }

  /// The SDK never answers the call that was cancelled.
  private static func nextCall(after limit: Timeout) -> Scenario {
    Scenario(
      "turns, lateAnswers, \(limit): cancellation, limit, next call",
      outcomes: ["first cancelled, second value", "first cancelled, forwarded, second value"]
    ) { run in
      let calls = run.registry(ifTaken: .waitForTurn, lateAnswers: limit)
      let (first, second) = (Call("first", in: run), Call("second", in: run))
      let current = Shared<Call?>(nil)
      let task = first.ask(calls, ofCurrent: current) {}
      second.ask(calls, ofCurrent: current) { second.answer(calls) }
      run.thread("canceller") { task.cancel() }
    }
  }

  // MARK: Other forms

  /// A call that is already made joins those with its id, and gets its early answer.
  private static func returnedIDInLine(_ policy: Registry.TakenIDPolicy) -> Scenario {
    Scenario(
      "turns, \(policy), returned id: early answer, cancellation",
      outcomes: [
        "first value, second value",
        "first cancelled, second value",
        "first cancelled, forwarded, discarded, second value",
        "first cancelled, forwarded, discarded, second value",
      ]
    ) { run in
      let (first, second) = (Call("first", in: run), Call("second", in: run))
      let calls = run.registry(ifTaken: policy) { first.handBack($0) }
      let task = first.askForID(calls) {
        run.thread("SDK") { first.answer(calls) }
        run.step("before the id is returned")
        return 1
      }
      second.ask(calls, 2) { second.answer(calls, 2) }
      run.thread("canceller") { task.cancel() }
    }
  }

  private static func asyncOperationInLine(_ policy: Registry.TakenIDPolicy) -> Scenario {
    Scenario(
      "turns, \(policy), async: answer, cancellation, next call",
      outcomes: [
        "first value, second value",
        "first cancelled, second value",
        "forwarded, first cancelled, discarded, second value",
      ]
    ) { run in
      let (calls, sdk) = (run.registry(ifTaken: policy), SDK(policy))
      let (first, second) = (Call("first", in: run), Call("second", in: run))
      let task = first.begin { try await first.send(calls, ofCurrent: sdk.current) }
      second.ask(calls, policy == .waitForTurn ? 1 : 2, ofCurrent: sdk.current) {
        second.answer(calls, policy == .waitForTurn ? 1 : 2)
      }
      run.thread("canceller") { task.cancel() }
    }
  }
}

/// Answers the calls in the order in which they are made.
private final class SDK: @unchecked Sendable {
  /// If it works for one call at a time, that call.
  let current: Shared<Call?>?
  private var unanswered: [Call] = []
  private var isAnswering = false

  init(_ policy: Registry.TakenIDPolicy) {
    current = policy == .waitForTurn ? Shared(nil) : nil
  }

  func take(_ call: Call) { unanswered.append(call) }

  func answer(_ calls: Registry) {
    // The thread of an earlier answer goes on with this one.
    if isAnswering { return }
    isAnswering = true
    while !unanswered.isEmpty { unanswered.removeFirst().answer(calls) }
    isAnswering = false
  }
}

extension Call {
  fileprivate nonisolated(nonsending) func value(
    _ calls: PendingCall<Packet>,
    ofCurrent current: Shared<Call?>? = nil,
    in operation: () throws -> Void
  ) async throws -> sending Packet {
    let value = try await calls.value {
      current?.value = self
      try operation()
    } onCancel: {
      onCancel(ofCurrent: current)
    } onDiscard: { [self] in
      onDiscard($0)
    }
    return own(value)
  }

  fileprivate func answer(_ calls: PendingCall<Packet>) {
    if let value = calls.tryResume(sending: packet()) {
      run.saw("handed back")
      onDiscard(value)
    }
  }
}
