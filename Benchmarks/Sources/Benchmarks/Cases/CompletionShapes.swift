import CooperativeCancellation
import LegacySDK

// Other completion shapes, each compared with `Result`.

extension [Comparison] {
  static func completionShapes(on loop: Loop) -> [Comparison] {
    let sdk = LegacySDK(calls: .atOnce)
    func shape(
      _ name: String,
      atMost goal: Double = 1.05,
      _ calls: @escaping @Sendable (Int) async throws -> Void
    ) -> Comparison {
      Comparison("\(name), at once", to: "Result, at once", goal: .atMost(goal), on: loop, calls) {
        for _ in 0..<$0 { use(try await withAsyncThrowingValue { sdk.result($0) }) }
      }
    }
    return [
      shape("(Value?, Error?)") {
        for _ in 0..<$0 { use(try await withAsyncThrowingValue { sdk.valueAndError($0) }) }
      },
      shape("success and failure", atMost: 1.2) {
        for _ in 0..<$0 { use(try await withAsyncThrowingValue { sdk.successOrFailure($0, $1) }) }
      },
      shape("Value, with a fallback") {
        for _ in 0..<$0 { use(await withAsyncValue(fallback: 0) { sdk.value($0) }) }
      },
    ]
  }
}
