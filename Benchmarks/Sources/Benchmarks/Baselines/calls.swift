import CooperativeCancellation
import LegacySDK

// One call, in each way that is measured more than once. Inlined, as code that is written in place.

@inline(__always)
func continued(_ sdk: LegacySDK) async throws -> Int {
  try await withCancellableThrowingContinuation { continuation in
    sdk.result { continuation.resume(with: $0) }
  }
}

@inline(__always)
func checked(_ sdk: LegacySDK) async throws -> Int {
  try await withCheckedThrowingContinuation { continuation in
    sdk.result { continuation.resume(with: $0) }
  }
}
