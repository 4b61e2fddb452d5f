// One bridge and a checkpoint, for `.ci/run`: the size, and what is said of the limits of the environment.
import CooperativeCancellation
import LegacySDK

let sdk = LegacySDK(calls: .onDemand)
try checkpoint()
let value: Int = try await withAsyncThrowingValue { completion in
  sdk.result(completion)
  Task { sdk.callBack() }
}
print(value)
