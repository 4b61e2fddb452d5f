// A program with one bridge and a checkpoint, for its size. `.ci/run` checks that, and what it says of the limits of
// the environment.
import CooperativeCancellation
import LegacySDK

let sdk = LegacySDK(calls: .onDemand)
try checkpoint()
let value: Int = try await withAsyncThrowingValue { completion in
  sdk.result(completion)
  Task { sdk.callBack() }
}
print(value)
