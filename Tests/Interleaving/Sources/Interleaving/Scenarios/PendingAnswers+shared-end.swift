import CooperativeCancellation
import PendingAnswers

extension Scenario {
  static let sharedEnds =
    [answerAndEnd, cancellationAndEnd, beginAndClose, twoCallersAndClose]
    + [false, true].map(beginAndLeave)
    + [false, true].flatMap { isBegun in
      [false, true].map { ownEnd(isBegun: isBegun, closes: $0) }
    }

  private static func load(_ call: Call, in run: Run) async throws -> Tracked {
    try await withAsyncThrowingValue { completion in
      run.thread("SDK") { completion(.success(call.value())) }
    } onDiscard: {
      call.onDiscard($0)
    }
  }

  private static let answerAndEnd = Scenario(
    "shared: answer, end",
    outcomes: ["value", "error", "error, discarded"]
  ) { run in
    let loads = SharedCalls<Int, Tracked>()
    let call = Call(in: run)
    call.begin {
      try await loads.value(for: 1) {
        try await load(call, in: run)
      } onDiscard: {
        call.onDiscard($0)
      }
    }
    run.thread("owner") { loads.resume(1, throwing: SDKError()) }
  }

  private static let cancellationAndEnd = Scenario(
    "shared: cancellation, end",
    outcomes: ["cancelled", "error"]
  ) { run in
    let loads = SharedCalls<Int, Tracked>()
    let call = Call(in: run)
    let task = call.begin {
      try await loads.value(for: 1) { try await untilCancelled(in: run) }
    }
    run.thread("canceller") { task.cancel() }
    run.thread("owner") { loads.close(throwing: SDKError()) }
  }

  /// The close may come before the task of the call exists.
  private static let beginAndClose = Scenario(
    "shared: begin, close",
    outcomes: ["begun", "refused"]
  ) { run in
    let loads = SharedCalls<Int, Tracked>()
    let hasBegun = Shared(false)
    run.thread("client") {
      loads.begin(for: 1) {
        hasBegun.value = true
        return try await untilCancelled(in: run)
      }
    }
    run.thread("owner") { loads.close(throwing: SDKError()) }
    run.atEnd { run.saw(hasBegun.value ? "begun" : "refused") }
  }

  private static let twoCallersAndClose = Scenario(
    "shared: two callers, close",
    outcomes: ["A error, B error"]
  ) { run in
    let loads = SharedCalls<Int, Tracked>()
    for name in ["A", "B"] {
      Call(name, in: run).begin {
        try await loads.value(for: 1) { try await untilCancelled(in: run) }
      }
    }
    run.thread("owner") { loads.close(throwing: SDKError()) }
  }

  /// The caller joins the call or makes it, and leaves or gets the value.
  private static func beginAndLeave(isBegunFirst: Bool) -> Scenario {
    Scenario(
      "shared: \(isBegunFirst ? "begun" : "begin"), cancellation",
      outcomes: ["value", "value, discarded", "cancelled, discarded"]
    ) { run in
      let loads = SharedCalls<Int, Tracked>()
      let call = Call(in: run)
      let begin: @Sendable () -> Void = {
        loads.begin(for: 1) {
          try await load(call, in: run)
        } onDiscard: {
          call.onDiscard($0)
        }
      }
      if isBegunFirst { begin() } else { run.thread("client", begin) }
      let task = call.begin {
        try await loads.value(for: 1) {
          try await load(call, in: run)
        } onDiscard: {
          call.onDiscard($0)
        }
      }
      run.thread("canceller") { task.cancel() }
    }
  }

  /// The task of the call may run while the thread that makes it has not stored it.
  private static func ownEnd(isBegun: Bool, closes: Bool) -> Scenario {
    Scenario(
      "shared: \(isBegun ? "begun" : "called"), \(closes ? "close" : "end") by its operation",
      outcomes: [isBegun ? "" : "error"]
    ) { run in
      let loads = SharedCalls<Int, Tracked>()
      let operation: @Sendable () async throws -> Tracked = {
        if closes {
          loads.close(throwing: SDKError())
        } else {
          loads.resume(1, throwing: SDKError())
        }
        run.expect(Task.isCancelled, "a checkpoint after the end does not notice it")
        throw CancellationError()
      }
      if isBegun {
        run.thread("client") { loads.begin(for: 1) { try await operation() } }
      } else {
        Call(in: run).begin { try await loads.value(for: 1) { try await operation() } }
      }
    }
  }

  /// Ends only when its task is cancelled; otherwise the run fails.
  private static func untilCancelled(in run: Run) async throws -> Tracked {
    let hasEnded = Shared(false)
    run.atEnd { run.expect(hasEnded.value, "the task of the call is never cancelled") }
    await waitForCancellation()
    hasEnded.value = true
    throw CancellationError()
  }
}
