import CooperativeCancellation
import CooperativeCancellationTesting

extension Scenario {
  static let bridges =
    CancellationResponse.allCases.map(answerAndCancellation)
    + CancellationResponse.allCases.map(onMainActor)
    + CancellationResponse.allCases.map(timeout)
    + [answerOrDrop]

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

  private static func answerAndCancellation(_ response: CancellationResponse) -> Scenario {
    let outcomes: Set<String> =
      switch response {
      case .ignoreCancellation: ["value"]
      case .deliverResult: ["value", "value, forwarded", "cancelled"]
      case .abandonCallback, .waitForCallback:
        ["value", "cancelled", "cancelled, discarded", "cancelled, forwarded, discarded"]
      }
    return Scenario("bridge, \(response): answer, cancellation", outcomes: outcomes) { run in
      let call = Call(in: run)
      let task = call.begin {
        try await withAsyncThrowingValue(whenCancelled: response) { completion in
          run.thread("SDK") { completion(.success(call.value())) }
        } onCancel: {
          call.onCancel()
        } onDiscard: {
          call.onDiscard($0)
        }
      }
      run.thread("canceller") { task.cancel() }
    }
  }

  private static func onMainActor(_ response: CancellationResponse) -> Scenario {
    let outcomes: Set<String> =
      switch response {
      case .ignoreCancellation: ["value"]
      case .deliverResult: ["value", "value, forwarded", "cancelled"]
      case .abandonCallback, .waitForCallback:
        ["value", "cancelled", "cancelled, discarded", "cancelled, forwarded, discarded"]
      }
    return Scenario("main, \(response): answer, cancellation", outcomes: outcomes) { run in
      let call = Call(in: run)
      let task = call.begin { @MainActor in
        try await withAsyncThrowingValue(whenCancelled: response) { completion in
          run.thread("SDK") { completion(.success(call.value())) }
        } onCancel: {
          MainActor.assertIsolated()
          call.onCancel()
        } onDiscard: {
          call.onDiscard($0)
        }
      }
      run.thread("canceller") { task.cancel() }
    }
  }

  private static func timeout(_ response: CancellationResponse) -> Scenario {
    return Scenario(
      "timeout, \(response): answer, timeout",
      outcomes: [
        "value",
        response == .deliverResult ? "value, forwarded" : "timed out, forwarded, discarded",
      ]
    ) { run in
      let call = Call(in: run)
      _ = call.begin {
        try await withAsyncThrowingValue(whenCancelled: response, timeout: .seconds(5)) {
          completion in
          run.thread("SDK") { completion(.success(call.value())) }
        } onCancel: {
          call.onCancel()
        } onDiscard: {
          call.onDiscard($0)
        }
      }
    }
  }
}
