// A program with one bridge, for its size.
import CooperativeCancellation
import LegacySDK

print(try await withAsyncThrowingValue { LegacySDK(calls: .atOnce).result($0) } as Int)
