import CooperativeCancellation
import FakeCallbackSDK

// A table: swift-format would give each closure and argument a line of its own.
// swift-format-ignore
extension BridgeForm {
  static let all: [BridgeForm] =
    pending + continuations + [
      result, typedResult, valueAndError, flagAndError, errorOnly, voidResult,
      twoValuesAndError,
      successAndFailure, successFailureAndCancelled,
      lateRequest,
      throwingPlain, throwingNeverFailing, throwingTwoValues, throwingVoid,
      valueOrNilAndError,
      successWithoutValue, failureWithoutError, mapped,
      fallback, fallbackTwoValues, fallbackVoid,
      plain, neverFailing, void, neverFailingVoid,
    ]

  // SDKs that cannot fail, in waits that can be cancelled.

  static let throwingPlain = throwingForm("value, throwing", delivers: "me", .brings) {
    sdk, watch in
    try await withAsyncThrowingValue(
      whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { completion in try watch.operation { sdk.currentUser(completion) } }
    onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0.id) }.id
  }

  static let throwingNeverFailing = throwingForm(
    "Result<_, Never>, throwing", delivers: "cached", .brings
  ) { sdk, watch in
    try await withAsyncThrowingValue(
      whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { completion in try watch.operation { sdk.cachedUser(completion) } }
    onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0.id) }.id
  }

  static let throwingTwoValues = throwingForm(
    "two values, throwing", delivers: "pair", values: 2, .brings
  ) { sdk, watch in
    try await withAsyncThrowingValue(
      whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { completion in try watch.operation { sdk.hostAndGuest(completion) } }
    onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0.id, $1.id) }.0.id
  }

  static let throwingVoid = throwingVoidForm("Void, throwing", .brings) { sdk, watch in
    try await withAsyncThrowingValue(
      whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { completion in try watch.operation { sdk.flush(completion) } }
    onCancel: { watch.onCancel($0) }
  }

  // More values, and fewer.

  static let valueOrNilAndError = throwingForm("value or nil, and error", delivers: "maybe") {
    sdk, watch in
    let user: User? = try await withAsyncThrowingValue(
      whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { completion in try watch.operation { sdk.maybeUser(completion) } }
    onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0.id) }
    return user?.id ?? "nil"
  }

  static let fallbackTwoValues = fallbackForm("two values, fallback", delivers: "pair", values: 2) {
    sdk, watch in
    await withAsyncValue(
      fallback: (nil, nil), whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { (completion: @escaping @Sendable (User?, User?) -> Void) in
      unthrowing { try watch.operation { sdk.hostAndGuest(completion) } }
    } onCancel: { watch.onCancel($0) } onDiscard: { host, guest in
      watch.onDiscard(host?.id ?? "the fallback", guest?.id ?? "the fallback")
    }.0
  }

  // Closures for success and for failure that say little.

  static let successWithoutValue = throwingVoidForm("success without a value, failure") {
    sdk, watch in
    try await withAsyncThrowingValue(
      whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { success, failure in
      try watch.operation { sdk.signOut(success: success, failure: failure) }
    } onCancel: { watch.onCancel($0) }
  }

  static let failureWithoutError = throwingForm(
    "success, failure without an error", delivers: "unlocked", .throwsMissingValue
  ) { sdk, watch in
    try await withAsyncThrowingValue(
      whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { success, failure in
      try watch.operation { sdk.unlock(success: success, failure: { failure(nil) }) }
    } onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0.id) }.id
  }

  // An error type of the service's own.

  static let mapped = BridgeForm(.throwing, "Result, mapped", delivers: .value("1"), []) {
    sdk, watch in
    let result = await Result(mappingErrorsTo: named, cancellation: Ending.cancelled) {
      try await withAsyncThrowingValue(
        whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
      ) { completion in try watch.operation { sdk.loadUser(id: "1", completion: completion) } }
      onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0.id) }.id
    }
    switch result {
    case .success(let id): return .value(id)
    case .failure(let ending): return ending
    }
  }
}
