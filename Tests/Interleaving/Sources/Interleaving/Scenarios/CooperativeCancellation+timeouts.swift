import CooperativeCancellation
import CooperativeCancellationTesting

extension Scenario {
  static let timeouts =
    CancellationResponse.allCases.flatMap { [timeout($0), timeoutAndCancellation($0)] }
    + TimedForm.allCases.flatMap { [alarm($0), ownClock($0, fails: false)] }
    + [
      dropOrTimeout, ownClock(.bridge, fails: true), manualClock, manualClockAlone,
      manualClockStands, twoTimeouts, answeredAmongTwo, timeoutOfZero, cancelledBefore,
    ]

  // MARK: Forms

  private enum TimedForm: CaseIterable {
    case bridge, fallback, continuation, abandonableTask

    var outcomes: Set<String> {
      switch self {
      case .bridge, .continuation: ["value", "timed out, forwarded, discarded"]
      case .fallback: ["value", "Fallback, forwarded, discarded"]
      // The operation does not begin if its task is cancelled before.
      case .abandonableTask: ["value", "timed out", "timed out, discarded"]
      }
    }

    /// Waits for an SDK that answers on a thread of its own.
    nonisolated(nonsending) func wait(
      for call: Call,
      in run: Run,
      _ timeout: Timeout
    ) async throws -> Tracked {
      switch self {
      case .bridge:
        return try await Scenario.bridge(call, in: run, timeout: timeout) { run, call, completion in
          run.thread("SDK") { completion(.success(call.value())) }
        }
      case .fallback:
        let value = await withAsyncValue(fallback: nil as Tracked?, timeout: timeout) {
          (completion: @escaping @Sendable (Tracked?) -> Void) in
          run.thread("SDK") { completion(call.value()) }
        } onCancel: {
          call.onCancel()
        } onDiscard: {
          if let value = $0 { call.onDiscard(value) }
        }
        guard let value else { throw Fallback() }
        return value
      case .continuation:
        return try await withCancellableThrowingContinuation(timeout: timeout) { continuation in
          run.thread("SDK") { continuation.resume(returning: call.value()) }
        } onCancel: {
          call.onCancel()
        } onDiscard: {
          call.onDiscard($0)
        }
      case .abandonableTask:
        return try await withAbandonableTask(timeout: timeout) {
          run.step("operation")
          return call.value()
        } onDiscard: {
          call.onDiscard($0)
        }
      }
    }
  }

  // MARK: The library's clock, whose alarm rings at any point

  private static let seconds = 5

  /// Fails if the call times out early.
  nonisolated(nonsending) private static func timed<Value>(
    _ run: Run,
    _ seconds: Int = seconds,
    _ wait: nonisolated(nonsending) (Timeout) async throws -> sending Value,
    onTimeout: () -> Void = {}
  ) async throws -> sending Value {
    let start = ContinuousClock.now
    do {
      return try await wait(.seconds(seconds))
    } catch {
      let time = start.duration(to: .now)
      if error is TimeoutError || error is Fallback {
        run.expect(time >= .seconds(seconds), "it times out after \(time)")
        onTimeout()
      }
      throw error
    }
  }

  private static func alarm(_ form: TimedForm) -> Scenario {
    Scenario("timeout, \(form): answer, alarm", outcomes: form.outcomes) { run in
      let call = Call(in: run)
      call.begin { try await timed(run) { try await form.wait(for: call, in: run, $0) } }
    }
  }

  private static func timedBridge(
    _ title: String,
    _ response: CancellationResponse,
    outcomes: Set<String>,
    isCancelled: Bool = false,
    _ sdk: @escaping Answers
  ) -> Scenario {
    Scenario("timeout, \(response): \(title)", outcomes: outcomes) { run in
      let call = Call(in: run)
      let task = call.begin {
        try await timed(run) {
          try await bridge(call, in: run, whenCancelled: response, timeout: $0, sdk)
        }
      }
      if isCancelled { run.thread("canceller") { task.cancel() } }
    }
  }

  private static func timeout(_ response: CancellationResponse) -> Scenario {
    timedBridge(
      "answer, alarm",
      response,
      outcomes: [
        "value",
        response == .deliverResult ? "value, forwarded" : "timed out, forwarded, discarded",
      ]
    ) { run, call, completion in
      run.thread("SDK") { completion(.success(call.value())) }
    }
  }

  /// The first of the three decides, but the check after withholds a value.
  private static func timeoutAndCancellation(_ response: CancellationResponse) -> Scenario {
    let outcomes: Set<String> =
      switch response {
      case .ignoreCancellation: ["value", "timed out, forwarded, discarded"]
      case .deliverResult: ["value", "value, forwarded", "cancelled"]
      case .abandonCallback, .waitForCallback:
        [
          "value", "cancelled", "cancelled, forwarded, discarded",
          "timed out, forwarded, discarded",
        ]
      @unknown default: fatalError("a new case needs outcomes of its own")
      }
    return timedBridge(
      "answer, alarm, cancellation",
      response,
      outcomes: outcomes,
      isCancelled: true
    ) { run, call, completion in
      run.thread("SDK") { completion(.success(call.value())) }
    }
  }

  private static let dropOrTimeout = timedBridge(
    "drop, alarm",
    .abandonCallback,
    outcomes: ["dropped", "timed out, forwarded"]
  ) { run, _, completion in
    run.thread("SDK") { _ = completion }
  }

  /// A continuation's closure runs, and the timeout is forwarded.
  private static let timeoutOfZero = Scenario(
    "timeout of zero, continuation: answer, alarm",
    outcomes: TimedForm.continuation.outcomes
  ) { run in
    let call = Call(in: run)
    call.begin { try await TimedForm.continuation.wait(for: call, in: run, .seconds(0)) }
  }

  /// The cancellation counts, although the alarm may ring before the task sleeps.
  private static let cancelledBefore = Scenario(
    "timeout of zero, continuation: cancelled before, answer, alarm",
    outcomes: ["value", "cancelled, forwarded, discarded"]
  ) { run in
    let call = Call(in: run)
    call.begin {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await TimedForm.continuation.wait(for: call, in: run, .seconds(0))
    }
  }

  // MARK: Several timeouts

  /// Waits for an SDK that never answers, until the timeout.
  nonisolated(nonsending) private static func waitInVain(
    _ call: Call,
    in run: Run,
    seconds: Int,
    _ operation: @escaping @Sendable () -> Void = {},
    onTimeout: () -> Void = {}
  ) async throws -> Tracked {
    try await timed(run, seconds) { timeout in
      try await bridge(call, in: run, timeout: timeout) { run, _, completion in
        // Released after the run, so that it is not a drop.
        run.atEnd { withExtendedLifetime(completion) {} }
        operation()
      }
    } onTimeout: {
      onTimeout()
    }
  }

  /// The alarm is set again for an earlier deadline. On the main actor, the short call begins when
  /// the long one sleeps: it ends later only if the alarm rings before it waits.
  private static let twoTimeouts = Scenario(
    "timeouts: 5 seconds, 3 seconds",
    outcomes: Set(
      [3, 5, 8].map { "\($0) seconds, long timed out, forwarded, short timed out, forwarded" }
    )
  ) { run in
    let start = ContinuousClock.now
    let (long, short) = (Call("long", in: run), Call("short", in: run))
    long.begin { @MainActor in
      try await waitInVain(long, in: run, seconds: 5) {
        short.begin { @MainActor in
          try await waitInVain(short, in: run, seconds: 3) {
          } onTimeout: {
            run.saw("\(start.duration(to: .now).components.seconds) seconds")
          }
        }
      }
    }
  }

  /// The one that ends must not take the other one's place in the queue with it.
  private static let answeredAmongTwo = Scenario(
    "timeouts: answer, the other call's timeout",
    outcomes: [
      "value, other timed out, forwarded",
      "timed out, forwarded, discarded, other timed out, forwarded",
    ]
  ) { run in
    let call = Call(in: run)
    let other = Call("other", in: run)
    call.begin { try await timed(run) { try await TimedForm.bridge.wait(for: call, in: run, $0) } }
    other.begin { try await waitInVain(other, in: run, seconds: 3) }
  }

  // MARK: Other clocks

  /// A sleep on it ends at any point, even if it is cancelled.
  private struct OwnClock: Clock {
    let run: Run
    let fails: Bool
    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
      await withCheckedContinuation { continuation in
        run.thread("clock") { continuation.resume() }
      }
      if fails { throw SDKError() }
    }
  }

  /// An error of the clock counts as the end of the sleep.
  private static func ownClock(_ form: TimedForm, fails: Bool) -> Scenario {
    Scenario(
      "clock\(fails ? " that throws" : ""), \(form): answer, timeout",
      outcomes: form.outcomes
    ) { run in
      let call = Call(in: run)
      let timeout = Timeout(.seconds(5), clock: OwnClock(run: run, fails: fails))
      call.begin { try await form.wait(for: call, in: run, timeout) }
    }
  }

  /// The sleep is cancelled when the call ends, and the clock may advance before the call begins.
  private static let manualClock = Scenario(
    "clock of the kit: answer, timeout, cancellation",
    outcomes: [
      "value", "cancelled", "cancelled, forwarded, discarded",
      "timed out, forwarded, discarded",
    ]
  ) { run in
    let call = Call(in: run)
    let clock = ManualClock()
    let task = call.begin {
      try await TimedForm.bridge.wait(for: call, in: run, Timeout(.seconds(5), clock: clock))
    }
    run.thread("canceller") { task.cancel() }
    run.thread("test") { clock.advance(by: .seconds(5)) }
  }

  /// Nothing sleeps on the clock after the call.
  private static let manualClockStands = Scenario(
    "clock of the kit: answer",
    outcomes: ["value"]
  ) { run in
    let call = Call(in: run)
    call.begin {
      try await TimedForm.bridge.wait(
        for: call,
        in: run,
        Timeout(.seconds(5), clock: ManualClock())
      )
    }
  }

  private static let manualClockAlone = Scenario(
    "clock of the kit: timeout after the test has waited for the sleep",
    outcomes: ["timed out, forwarded"]
  ) { run in
    let call = Call(in: run)
    let clock = ManualClock()
    call.begin {
      try await bridge(call, in: run, timeout: Timeout(.seconds(5), clock: clock)) {
        run,
        _,
        completion in
        run.atEnd { withExtendedLifetime(completion) {} }
      }
    }
    run.task("test") {
      // Without a limit, because its alarm would ring at any point, too.
      try? await clock.waitForSleeper(within: .seconds(Double.infinity))
      clock.advance(by: .seconds(5))
    }
  }
}
