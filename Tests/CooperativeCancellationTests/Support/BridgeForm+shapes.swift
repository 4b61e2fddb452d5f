import CooperativeCancellation
import FakeCallbackSDK

/// How an SDK begins an upload: with a callback for its request, and with a completion.
private typealias Uploading = (
  _ requestHandler: @escaping @Sendable (sending Request) -> Void,
  _ completion: @escaping @Sendable (Result<User, any Error>) -> Void
) -> Void

// A table: swift-format would give each closure and argument a line of its own.
// swift-format-ignore
extension BridgeForm {
  static let all: [BridgeForm] =
    pending + continuations + [
      result, typedResult, valueAndError, errorOnly, voidResult, twoValuesAndError,
      successAndFailure, lateRequest,
      throwingPlain, throwingVoid, valueOrNilAndError,
      successWithoutValue, failureWithoutError,
      fallback, fallbackVoid,
      plain, neverFailing, void,
    ]

  // A completion, and closures for success and failure.

  static let result = throwingForm("Result", delivers: "1") { sdk, watch in
    try await withAsyncThrowingValue(
      whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { completion in try watch.operation { sdk.loadUser(id: "1", completion: completion) } }
    onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0.id) }.id
  }

  static let typedResult = throwingForm("Result<_, SDKError>", delivers: "typed") { sdk, watch in
    try await withAsyncThrowingValue(
      whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { completion in try watch.operation { sdk.typedUser(completion) } }
    onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0.id) }.id
  }

  static let valueAndError = throwingForm("value and error", delivers: "maybe") { sdk, watch in
    try await withAsyncThrowingValue(
      whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { completion in try watch.operation { sdk.maybeUser(completion) } }
    onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0.id) }.id
  }

  static let errorOnly = throwingVoidForm("error only") { sdk, watch in
    try await withAsyncThrowingValue(
      whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { completion in try watch.operation { sdk.save(completion) } }
    onCancel: { watch.onCancel($0) }
  }

  static let voidResult = throwingVoidForm("Result<Void, _>") { sdk, watch in
    try await withAsyncThrowingValue(
      whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { completion in try watch.operation { sdk.rename(completion) } }
    onCancel: { watch.onCancel($0) }
  }

  static let twoValuesAndError = throwingForm("two values and error", delivers: "pair", values: 2) {
    sdk, watch in
    let (user, friend) = try await withAsyncThrowingValue(
      whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { completion in try watch.operation { sdk.userAndFriend(completion) } }
    onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0?.id, $1?.id) }
    return user === friend ? "the same" : user.id
  }

  static let successAndFailure = throwingForm("success and failure", delivers: "signed in") {
    sdk, watch in
    try await withAsyncThrowingValue(
      whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { success, failure in try watch.operation { sdk.signIn(success: success, failure: failure) } }
    onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0.id) }.id
  }

  // The request comes in a callback.

  static let lateRequest = request("in a callback", FakeSDK.upload)
  /// As ``lateRequest``, but the request comes when the test says so, and not before.
  static let laterRequest = request("later in a callback", FakeSDK.uploadLater)

  private static func request(
    _ moment: String, _ upload: @escaping @Sendable (FakeSDK) -> Uploading
  ) -> BridgeForm {
    throwingForm("Result, the request \(moment)", delivers: "uploaded") { sdk, watch in
      try await withAsyncThrowingValue(
        whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
      ) { completion in
        try watch.operation {
          LateRequest { upload(sdk)($0, completion) }
        }
      } onCancel: { $0.cancel { watch.onCancel($0) } } onDiscard: { watch.onDiscard($0.id) }.id
    }
  }

  // SDKs that cannot fail, in waits that can be cancelled.

  static let throwingPlain = throwingForm("value, throwing", delivers: "me", .valueDespiteFailure) {
    sdk, watch in
    try await withAsyncThrowingValue(
      whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { completion in try watch.operation { sdk.currentUser(completion) } }
    onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0.id) }.id
  }

  static let throwingVoid = throwingVoidForm("Void, throwing", .valueDespiteFailure) { sdk, watch in
    try await withAsyncThrowingValue(
      whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { completion in try watch.operation { sdk.flush(completion) } }
    onCancel: { watch.onCancel($0) }
  }

  // More values, and fewer.

  static let valueOrNilAndError = throwingForm("value or nil, and error", delivers: "maybe") {
    sdk, watch in
    let user = try await withAsyncThrowingValueIfPresent(
      whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { completion in try watch.operation { sdk.maybeUser(completion) } }
    onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0.id) }
    return user?.id ?? "nil"
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

  static let neverFailing = unconditionalForm("Result<_, Never>", delivers: "cached") {
    sdk, watch in
    await withAsyncValue(line: watch.line) { completion in
      unthrowing { try watch.operation { sdk.cachedUser(completion) } }
    } onDiscard: { watch.onDiscard($0.id) }.id
  }

  static let void = unconditionalForm("Void", delivers: "", .void) { sdk, watch in
    await withAsyncValue(line: watch.line) { completion in
      unthrowing { try watch.operation { sdk.flush(completion) } }
    }
    return ""
  }
}
