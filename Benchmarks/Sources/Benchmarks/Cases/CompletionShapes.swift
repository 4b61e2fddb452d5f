import CooperativeCancellation
import LegacySDK

// The completion shape that costs more than `Result`. The others cost the same.

extension [Comparison] {
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
