import CooperativeCancellation
import LegacySDK

// One call of an SDK with a `Result`.

extension [Comparison] {
  static func oneCall(on loop: Loop) -> [Comparison] {
    let atOnce = LegacySDK(calls: .atOnce)
    let later = LegacySDK(calls: .when(idle: loop))
    let caller = Caller(later, loop.serial)
    let checkedAtOnce: Comparison.Calls = { for _ in 0..<$0 { use(try await checked(atOnce)) } }
    let withHandler: Comparison.Calls = {
      for _ in 0..<$0 {
        use(
          try await withTaskCancellationHandler {
            try await checked(later)
          } onCancel: {
          }
        )
      }
    }
    let bridgedLater: Comparison.Calls = {
      for _ in 0..<$0 { use(try await withAsyncThrowingValue { later.result($0) }) }
    }
    return [
      Comparison(
        "continuation, at once",
        to: "raw checked continuation",
        goal: .atMost(0.8),
        on: loop,
        { for _ in 0..<$0 { use(try await continued(atOnce)) } },
        against: checkedAtOnce
      ),
      Comparison(
        "continuation, later",
        to: "handler + checked continuation",
        goal: .atMost(1.28),
        on: loop,
        { for _ in 0..<$0 { use(try await continued(later)) } },
        against: withHandler
      ),
      Comparison(
        "answers at once",
        to: "raw checked continuation",
        goal: .atMost(1.25),
        on: loop,
        { for _ in 0..<$0 { use(try await withAsyncThrowingValue { atOnce.result($0) }) } },
        against: checkedAtOnce
      ),
      Comparison(
        "answers later",
        to: "handler + checked continuation",
        goal: .atMost(1.35),
        on: loop,
        bridgedLater,
        against: withHandler
      ),
      Comparison(
        "answers later",
        to: "hand-written, without deadlock",
        goal: .atMost(1.2),
        on: loop,
        bridgedLater,
        against: { for _ in 0..<$0 { use(try await HandWrittenCall.run(later) { _ in }) } }
      ),
      Comparison(
        "answers later, on an actor",
        to: "handler + checked continuation",
        goal: .atMost(1.4),
        on: loop
      ) {
        try await caller.bridged($0)
      } against: {
        try await caller.byHand($0)
      },
    ]
  }

  /// The completion shape that costs more than `Result`. The others cost the same.
  static func completionShapes(on loop: Loop) -> [Comparison] {
    let sdk = LegacySDK(calls: .atOnce)
    return [
      Comparison(
        "success and failure, at once",
        to: "Result, at once",
        goal: .atMost(1.2),
        on: loop
      ) {
        for _ in 0..<$0 { use(try await withAsyncThrowingValue { sdk.successOrFailure($0, $1) }) }
      } against: {
        for _ in 0..<$0 { use(try await withAsyncThrowingValue { sdk.result($0) }) }
      }
    ]
  }
}

/// A caller that is an actor, on the same thread.
actor Caller {
  let sdk: LegacySDK
  private let loop: Loop.Serial

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ sdk: LegacySDK, _ loop: Loop.Serial) {
    self.sdk = sdk
    self.loop = loop
  }

  func bridged(_ calls: Int) async throws {
    for _ in 0..<calls {
      use(try await withAsyncThrowingValue { sdk.result($0) })
    }
  }

  func byHand(_ calls: Int) async throws {
    for _ in 0..<calls {
      use(
        try await withTaskCancellationHandler {
          // Isolated to the actor, because it uses a property of the actor.
          try await withCheckedThrowingContinuation { continuation in
            self.sdk.result { continuation.resume(with: $0) }
          }
        } onCancel: {
        }
      )
    }
  }
}
