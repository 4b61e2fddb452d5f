import CooperativeCancellation
import FakeCallbackSDK

/// Results with an error type of the caller's.
// A table: swift-format would give each closure and argument a line of its own.
// swift-format-ignore
extension BridgeForm {
  static let mappedResult = mappedForm(
    "Result with the caller's error", delivers: "typed", .neverRefuses, id: \.id
  ) { sdk, watch -> Result<User, Ending> in
    await withAsyncResult(
      mapError: named, whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { completion in
      unthrowing {
        try watch.operation { sdk.typedUser { completion($0.mapError { .failure($0) }) } }
      }
    } onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0.id) }
  }

  static let mappedPlain = mappedForm(
    "value, mapped", delivers: "me", .brings, .neverRefuses, id: \.id
  ) { sdk, watch -> Result<User, Ending> in
    await withAsyncResult(
      mapError: named, whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { completion in unthrowing { try watch.operation { sdk.currentUser(completion) } } }
    onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0.id) }
  }

  static let mappedVoid = mappedForm(
    "Void, mapped", delivers: "", .brings, .neverRefuses, .void, id: { "" }
  ) { sdk, watch -> Result<Void, Ending> in
    await withAsyncResult(
      mapError: named, whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { completion in unthrowing { try watch.operation { sdk.flush(completion) } } }
    onCancel: { watch.onCancel($0) }
  }

  static let mappedOtherResult = mappedForm(
    "Result with another error, mapped", delivers: "typed", id: \.id
  ) { sdk, watch -> Result<User, Ending> in
    await withAsyncResult(
      mapError: named, whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { completion in try watch.operation { sdk.typedUser(completion) } }
    onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0.id) }
  }

  static let mappedAnyResult = mappedForm("Result, mapped", delivers: "1", id: \.id) {
    sdk, watch -> Result<User, Ending> in
    await withAsyncResult(
      mapError: named, whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { completion in try watch.operation { sdk.loadUser(id: "1", completion: completion) } }
    onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0.id) }
  }

  static let mappedValueAndError = mappedForm(
    "value and error, mapped", delivers: "maybe", id: \.id
  ) { sdk, watch -> Result<User, Ending> in
    await withAsyncResult(
      mapError: named, whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { completion in try watch.operation { sdk.maybeUser(completion) } }
    onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0.id) }
  }

  static let mappedValueOrNil = mappedForm(
    "value or nil, and error, mapped", delivers: "maybe", id: { $0?.id ?? "nil" }
  ) { sdk, watch -> Result<User?, Ending> in
    await withAsyncResult(
      mapError: named, whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { completion in try watch.operation { sdk.maybeUser(completion) } }
    onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0.id) }
  }

  static let mappedErrorOnly = mappedForm("error only, mapped", delivers: "", .void, id: { "" }) {
    sdk, watch -> Result<Void, Ending> in
    await withAsyncResult(
      mapError: named, whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { completion in try watch.operation { sdk.save(completion) } }
    onCancel: { watch.onCancel($0) }
  }

  static let mappedSuccessAndFailure = mappedForm(
    "success and failure, mapped", delivers: "signed in", id: \.id
  ) { sdk, watch -> Result<User, Ending> in
    await withAsyncResult(
      mapError: named, whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { success, failure in try watch.operation { sdk.signIn(success: success, failure: failure) } }
    onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0.id) }
  }

  static let mappedTwoValuesAndError = mappedForm(
    "two values and error, mapped", delivers: "pair", values: 2, id: \.0.id
  ) { sdk, watch -> Result<(User, User), Ending> in
    await withAsyncResult(
      mapError: named, whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { completion in try watch.operation { sdk.userAndFriend(completion) } }
    onCancel: { watch.onCancel($0) } onDiscard: { watch.onDiscard($0?.id, $1?.id) }
  }

  static let mappedSuccessWithoutValue = mappedForm(
    "success without a value, failure, mapped", delivers: "", .void, id: { "" }
  ) { sdk, watch -> Result<Void, Ending> in
    await withAsyncResult(
      mapError: named, whenCancelled: watch.response, timeout: watch.timeout, line: watch.line
    ) { success, failure in
      try watch.operation { sdk.signOut(success: success, failure: failure) }
    } onCancel: { watch.onCancel($0) }
  }
}
