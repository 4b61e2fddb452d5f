import CooperativeCancellation
import FakeCallbackSDK

// A table: swift-format would give each closure and argument a line of its own.
// swift-format-ignore
extension BridgeForm {
  // Waits that have a fallback.

  static let fallback = fallbackForm("value, fallback", delivers: "me") { sdk, watch in
    await withAsyncValue(
      fallback: nil, whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { (completion: @escaping @Sendable (User?) -> Void) in
      unthrowing { try watch.operation { sdk.currentUser(completion) } }
    } onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0?.id ?? "the fallback") }
  }

  static let fallbackVoid = BridgeForm(.fallback, "Void, fallback", delivers: .fallback, [.void]) {
    sdk, watch in
    await withAsyncValue(
      fallback: (), whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { completion in unthrowing { try watch.operation { sdk.flush(completion) } } }
    onCancel: { watch.onCancel($0) }
    return .fallback
  }

  // Waits that only the value can end.

  static let plain = unconditionalForm("value", delivers: "me") { sdk, watch in
    await withAsyncValue(line: watch.line) { completion in
      unthrowing { try watch.operation { sdk.currentUser(completion) } }
    } onDiscard: { watch.onDiscard($0.id) }.id
  }

  static let neverFailing = unconditionalForm("Result<_, Never>", delivers: "cached") { sdk, watch in
    await withAsyncValue(line: watch.line) { completion in
      unthrowing { try watch.operation { sdk.cachedUser(completion) } }
    } onDiscard: { watch.onDiscard($0.id) }.id
  }

  static let neverFailingVoid = unconditionalForm("Result<Void, Never>", delivers: "", .void) {
    sdk, watch in
    await withAsyncValue(line: watch.line) { completion in
      unthrowing { try watch.operation { sdk.flush { completion(.success) } } }
    }
    return ""
  }

  static let void = unconditionalForm("Void", delivers: "", .void) { sdk, watch in
    await withAsyncValue(line: watch.line) { completion in
      unthrowing { try watch.operation { sdk.flush(completion) } }
    }
    return ""
  }
}
