import CooperativeCancellation
import FakeCallbackSDK

// A table, as in BridgeForm+shapes.swift.
// swift-format-ignore
extension BridgeForm {
  static let continuations = [
    throwingForm("continuation", delivers: "1", .unchecked) { sdk, watch in
      try await withCancellableThrowingContinuation(
        whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
      ) { continuation in
        try watch.operation { sdk.loadUser(id: "1") { continuation.resume(with: $0) } }
      } onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0.id) }.id
    },
    throwingForm("continuation, sending", delivers: "session", .unchecked) { sdk, watch in
      try await withCancellableThrowingContinuation(
        whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
      ) { continuation in
        try watch.operation { sdk.openSession { continuation.resume(with: $0) } }
      } onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0.user.id) }.user.id
    },
    fallbackForm("continuation, fallback", delivers: "me", .unchecked) { sdk, watch in
      await withCancellableContinuation(
        fallback: nil, whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
      ) { (continuation: CancellableContinuation<User?, Never>) in
        unthrowing {
          try watch.operation { sdk.currentUser { continuation.resume(returning: $0) } }
        }
      } onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0?.id ?? "the fallback") }
    },
    unconditionalForm("continuation, uncancellable", delivers: "me") { sdk, watch in
      await withUncancellableContinuation(line: watch.line) { continuation in
        unthrowing {
          try watch.operation { sdk.currentUser { continuation.resume(returning: $0) } }
        }
      } onDiscard: { watch.onDiscard($0.id) }.id
    },
  ]

  static let continuation = continuations[0]
}
