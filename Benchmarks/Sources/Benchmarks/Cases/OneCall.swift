import CooperativeCancellation
import LegacySDK

// One call of an SDK with a `Result`.

extension [Comparison] {
  static func oneCall(on loop: Loop) -> [Comparison] {
    let atOnce = LegacySDK(calls: .atOnce)
    let later = LegacySDK(calls: .when(idle: loop))
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
        against: { for _ in 0..<$0 { use(try await checked(atOnce)) } }
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
        "answers later, timeout: 1 h",
        to: "without",
        goal: .atMost(1.25),
        on: loop,
        {
          for _ in 0..<$0 {
            use(try await withAsyncThrowingValue(timeout: .seconds(3600)) { later.result($0) })
          }
        },
        against: bridgedLater
      ),
    ]
  }
}
