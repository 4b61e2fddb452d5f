import CooperativeCancellation
import LegacySDK

// The other completion shapes, each compared with `Result`.

extension [Comparison] {
  static func completionShapes(on loop: Loop) -> [Comparison] {
    .completionShapes("at once", LegacySDK(calls: .atOnce), on: loop)
      + .completionShapes("later", LegacySDK(calls: .when(idle: loop)), on: loop)
  }

  private static func completionShapes(
    _ when: String,
    _ sdk: LegacySDK,
    on loop: Loop
  ) -> [Comparison] {
    func shape(
      _ name: String,
      _ goal: Comparison.Goal,
      _ calls: @escaping @Sendable (Int) async throws -> Void
    ) -> Comparison {
      Comparison("\(name), \(when)", to: "Result, \(when)", goal: goal, on: loop, calls) {
        for _ in 0..<$0 { use(try await withAsyncThrowingValue { sdk.result($0) }) }
      }
    }
    return [
      shape("Result<Value, SomeError>", .atMost(1.05)) {
        for _ in 0..<$0 { use(try await withAsyncThrowingValue { sdk.typedResult($0) }) }
      },
      shape("Result<Void, any Error>", .atMost(1.05)) {
        for _ in 0..<$0 { use(try await withAsyncThrowingValue { sdk.voidResult($0) }) }
      },
      shape("(Value?, Error?)", .atMost(1.05)) {
        for _ in 0..<$0 { use(try await withAsyncThrowingValue { sdk.valueAndError($0) }) }
      },
      shape("(First?, Second?, Error?)", .atMost(1.05)) {
        for _ in 0..<$0 { use(try await withAsyncThrowingValue { sdk.twoValuesAndError($0) }) }
      },
      shape("(Error?)", .atMost(1.05)) {
        for _ in 0..<$0 { use(try await withAsyncThrowingValue { sdk.error($0) }) }
      },
      shape("success and failure", .atMost(1.05)) {
        for _ in 0..<$0 { use(try await withAsyncThrowingValue { sdk.successOrFailure($0, $1) }) }
      },
      shape("success, failure and cancel", .atMost(1.05)) {
        for _ in 0..<$0 {
          use(try await withAsyncThrowingValue { sdk.successFailureOrCancel($0, $1, $2) })
        }
      },
      shape("Value", .atMost(1.05)) {
        for _ in 0..<$0 { use(await withAsyncValue { sdk.value($0) }) }
      },
      shape("Result<Value, Never>", .atMost(1.05)) {
        for _ in 0..<$0 { use(await withAsyncValue { sdk.neverFailingResult($0) } as Int) }
      },
      shape("(First, Second)", .atMost(1.05)) {
        for _ in 0..<$0 { use(await withAsyncValue { sdk.twoValues($0) }) }
      },
      shape("nothing", .atMost(1.05)) {
        for _ in 0..<$0 { use(await withAsyncValue { sdk.nothing($0) }) }
      },
      shape("Value, with a fallback", .atMost(1.05)) {
        for _ in 0..<$0 { use(await withAsyncValue(fallback: 0) { sdk.value($0) }) }
      },
      shape("Result<Value, Never>, with a fallback", .atMost(1.05)) {
        for _ in 0..<$0 { use(await withAsyncValue(fallback: 0) { sdk.neverFailingResult($0) }) }
      },
      shape("(First, Second), with a fallback", .atMost(1.05)) {
        for _ in 0..<$0 { use(await withAsyncValue(fallback: (0, 0)) { sdk.twoValues($0) }) }
      },
      shape("sending Result", .none) {
        for _ in 0..<$0 { use(try await withAsyncThrowingValue { sdk.sendingResult($0) }) }
      },
    ]
  }
}
