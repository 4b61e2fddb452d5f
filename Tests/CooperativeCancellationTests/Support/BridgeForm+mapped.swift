import CooperativeCancellation
import FakeCallbackSDK

/// Results with an error type of the caller's.
extension BridgeForm {
  static let mappedResult = BridgeForm(
    testDescription: "Result with the caller's error",
    kind: .throwing,
    delivered: .value("typed"),
    mayRefuse: false
  ) { sdk, watch in
    let result: Result<User, Ending> = await withAsyncResult(
      mapError: named,
      whenCancelled: watch.response,
      timeout: watch.timeout,
      line: watch.line
    ) { completion in
      unthrowing {
        try watch.operation { sdk.typedUser { completion($0.mapError { .failure($0) }) } }
      }
    } onCancel: {
      watch.onCancel($0)
    } onDiscard: {
      watch.onDiscard($0.id)
    }
    switch result {
    case .success(let user): return .value(user.id)
    case .failure(let ending): return ending
    }
  }

  static let mappedPlain = BridgeForm(
    testDescription: "value, mapped",
    kind: .throwing,
    delivered: .value("me"),
    failing: .brings,
    mayRefuse: false
  ) { sdk, watch in
    let result: Result<User, Ending> = await withAsyncResult(
      mapError: named,
      whenCancelled: watch.response,
      timeout: watch.timeout,
      line: watch.line
    ) { completion in
      unthrowing { try watch.operation { sdk.currentUser(completion) } }
    } onCancel: {
      watch.onCancel($0)
    } onDiscard: {
      watch.onDiscard($0.id)
    }
    switch result {
    case .success(let user): return .value(user.id)
    case .failure(let ending): return ending
    }
  }

  static let mappedVoid = BridgeForm(
    testDescription: "Void, mapped",
    kind: .throwing,
    delivered: .value(""),
    carriesValue: false,
    valueIsObject: false,
    failing: .brings,
    mayRefuse: false
  ) { sdk, watch in
    let result: Result<Void, Ending> = await withAsyncResult(
      mapError: named,
      whenCancelled: watch.response,
      timeout: watch.timeout,
      line: watch.line
    ) { completion in
      unthrowing { try watch.operation { sdk.flush(completion) } }
    } onCancel: {
      watch.onCancel($0)
    }
    switch result {
    case .success: return .value("")
    case .failure(let ending): return ending
    }
  }

  static let mappedOtherResult = BridgeForm(
    testDescription: "Result with another error, mapped",
    kind: .throwing,
    delivered: .value("typed")
  ) { sdk, watch in
    let result: Result<User, Ending> = await withAsyncResult(
      mapError: named,
      whenCancelled: watch.response,
      timeout: watch.timeout,
      line: watch.line
    ) { completion in
      try watch.operation { sdk.typedUser(completion) }
    } onCancel: {
      watch.onCancel($0)
    } onDiscard: {
      watch.onDiscard($0.id)
    }
    switch result {
    case .success(let user): return .value(user.id)
    case .failure(let ending): return ending
    }
  }

  static let mappedAnyResult = BridgeForm(
    testDescription: "Result, mapped",
    kind: .throwing,
    delivered: .value("1")
  ) { sdk, watch in
    let result: Result<User, Ending> = await withAsyncResult(
      mapError: named,
      whenCancelled: watch.response,
      timeout: watch.timeout,
      line: watch.line
    ) { completion in
      try watch.operation { sdk.loadUser(id: "1", completion: completion) }
    } onCancel: {
      watch.onCancel($0)
    } onDiscard: {
      watch.onDiscard($0.id)
    }
    switch result {
    case .success(let user): return .value(user.id)
    case .failure(let ending): return ending
    }
  }

  static let mappedValueAndError = BridgeForm(
    testDescription: "value and error, mapped",
    kind: .throwing,
    delivered: .value("maybe")
  ) { sdk, watch in
    let result: Result<User, Ending> = await withAsyncResult(
      mapError: named,
      whenCancelled: watch.response,
      timeout: watch.timeout,
      line: watch.line
    ) { completion in
      try watch.operation { sdk.maybeUser(completion) }
    } onCancel: {
      watch.onCancel($0)
    } onDiscard: {
      watch.onDiscard($0.id)
    }
    switch result {
    case .success(let user): return .value(user.id)
    case .failure(let ending): return ending
    }
  }

  static let mappedValueOrNil = BridgeForm(
    testDescription: "value or nil, and error, mapped",
    kind: .throwing,
    delivered: .value("maybe")
  ) { sdk, watch in
    let result: Result<User?, Ending> = await withAsyncResult(
      mapError: named,
      whenCancelled: watch.response,
      timeout: watch.timeout,
      line: watch.line
    ) { completion in
      try watch.operation { sdk.maybeUser(completion) }
    } onCancel: {
      watch.onCancel($0)
    } onDiscard: {
      watch.onDiscard($0.id)
    }
    switch result {
    case .success(let user): return .value(user?.id ?? "nil")
    case .failure(let ending): return ending
    }
  }

  static let mappedErrorOnly = BridgeForm(
    testDescription: "error only, mapped",
    kind: .throwing,
    delivered: .value(""),
    carriesValue: false,
    valueIsObject: false
  ) { sdk, watch in
    let result: Result<Void, Ending> = await withAsyncResult(
      mapError: named,
      whenCancelled: watch.response,
      timeout: watch.timeout,
      line: watch.line
    ) { completion in
      try watch.operation { sdk.save(completion) }
    } onCancel: {
      watch.onCancel($0)
    }
    switch result {
    case .success: return .value("")
    case .failure(let ending): return ending
    }
  }

  static let mappedSuccessAndFailure = BridgeForm(
    testDescription: "success and failure, mapped",
    kind: .throwing,
    delivered: .value("signed in")
  ) { sdk, watch in
    let result: Result<User, Ending> = await withAsyncResult(
      mapError: named,
      whenCancelled: watch.response,
      timeout: watch.timeout,
      line: watch.line
    ) { success, failure in
      try watch.operation { sdk.signIn(success: success, failure: failure) }
    } onCancel: {
      watch.onCancel($0)
    } onDiscard: {
      watch.onDiscard($0.id)
    }
    switch result {
    case .success(let user): return .value(user.id)
    case .failure(let ending): return ending
    }
  }

  static let mappedTwoValuesAndError = BridgeForm(
    testDescription: "two values and error, mapped",
    kind: .throwing,
    delivered: .value("pair"),
    valuesPerAnswer: 2
  ) { sdk, watch in
    let result: Result<(User, User), Ending> = await withAsyncResult(
      mapError: named,
      whenCancelled: watch.response,
      timeout: watch.timeout,
      line: watch.line
    ) { completion in
      try watch.operation { sdk.userAndFriend(completion) }
    } onCancel: {
      watch.onCancel($0)
    } onDiscard: { first, second in
      watch.onDiscard([first, second].compactMap { $0?.id }.joined(separator: "+"))
    }
    switch result {
    case .success(let users): return .value(users.0.id)
    case .failure(let ending): return ending
    }
  }

  static let mappedSuccessWithoutValue = BridgeForm(
    testDescription: "success without a value, failure, mapped",
    kind: .throwing,
    delivered: .value(""),
    carriesValue: false,
    valueIsObject: false
  ) { sdk, watch in
    let result: Result<Void, Ending> = await withAsyncResult(
      mapError: named,
      whenCancelled: watch.response,
      timeout: watch.timeout,
      line: watch.line
    ) { success, failure in
      try watch.operation { sdk.signOut(success: success, failure: failure) }
    } onCancel: {
      watch.onCancel($0)
    }
    switch result {
    case .success: return .value("")
    case .failure(let ending): return ending
    }
  }
}
