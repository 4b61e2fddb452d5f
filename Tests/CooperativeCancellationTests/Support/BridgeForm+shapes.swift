import CooperativeCancellation
import FakeCallbackSDK

/// SDKs that cannot fail, in waits that can be cancelled.
extension BridgeForm {
  static let throwingPlain = BridgeForm(
    testDescription: "value, throwing",
    kind: .throwing,
    delivered: .value("me"),
    failing: .brings
  ) { sdk, watch in
    await ending {
      try await withAsyncThrowingValue(
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) { completion in
        try watch.operation { sdk.currentUser(completion) }
      } onCancel: {
        watch.onCancel($0)
      } onDiscard: {
        watch.onDiscard($0.id)
      }.id
    }
  }

  static let throwingNeverFailing = BridgeForm(
    testDescription: "Result<_, Never>, throwing",
    kind: .throwing,
    delivered: .value("cached"),
    failing: .brings
  ) { sdk, watch in
    await ending {
      try await withAsyncThrowingValue(
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) { completion in
        try watch.operation { sdk.cachedUser(completion) }
      } onCancel: {
        watch.onCancel($0)
      } onDiscard: {
        watch.onDiscard($0.id)
      }.id
    }
  }

  static let throwingTwoValues = BridgeForm(
    testDescription: "two values, throwing",
    kind: .throwing,
    delivered: .value("pair"),
    valuesPerAnswer: 2,
    failing: .brings
  ) { sdk, watch in
    await ending {
      try await withAsyncThrowingValue(
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) { completion in
        try watch.operation { sdk.hostAndGuest(completion) }
      } onCancel: {
        watch.onCancel($0)
      } onDiscard: { host, guest in
        watch.onDiscard(host.id + "+" + guest.id)
      }.0.id
    }
  }

  static let throwingThreeValues = BridgeForm(
    testDescription: "three values, throwing",
    kind: .throwing,
    delivered: .value("crew"),
    valuesPerAnswer: 3,
    failing: .brings
  ) { sdk, watch in
    await ending {
      try await withAsyncThrowingValue(
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) { completion in
        try watch.operation { sdk.crew(completion) }
      } onCancel: {
        watch.onCancel($0)
      } onDiscard: { first, second, third in
        watch.onDiscard([first, second, third].map(\.id).joined(separator: "+"))
      }.0.id
    }
  }

  static let throwingVoid = BridgeForm(
    testDescription: "Void, throwing",
    kind: .throwing,
    delivered: .value(""),
    carriesValue: false,
    valueIsObject: false,
    failing: .brings
  ) { sdk, watch in
    await ending {
      try await withAsyncThrowingValue(
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) { completion in
        try watch.operation { sdk.flush(completion) }
      } onCancel: {
        watch.onCancel($0)
      }
      return ""
    }
  }
}

/// More values, and fewer.
extension BridgeForm {
  static let valueOrNilAndError = BridgeForm(
    testDescription: "value or nil, and error",
    kind: .throwing,
    delivered: .value("maybe")
  ) { sdk, watch in
    await ending {
      let user: User? = try await withAsyncThrowingValue(
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
      return user?.id ?? "nil"
    }
  }

  static let threeValuesAndError = BridgeForm(
    testDescription: "three values and error",
    kind: .throwing,
    delivered: .value("crew"),
    valuesPerAnswer: 3
  ) { sdk, watch in
    await ending {
      try await withAsyncThrowingValue(
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) { completion in
        try watch.operation { sdk.maybeCrew(completion) }
      } onCancel: {
        watch.onCancel($0)
      } onDiscard: { first, second, third in
        watch.onDiscard([first, second, third].compactMap { $0?.id }.joined(separator: "+"))
      }.0.id
    }
  }
}

/// Closures for success and for failure that say little.
extension BridgeForm {
  static let successWithoutValue = BridgeForm(
    testDescription: "success without a value, failure",
    kind: .throwing,
    delivered: .value(""),
    carriesValue: false,
    valueIsObject: false
  ) { sdk, watch in
    await ending {
      try await withAsyncThrowingValue(
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) { success, failure in
        try watch.operation { sdk.signOut(success: success, failure: failure) }
      } onCancel: {
        watch.onCancel($0)
      }
      return ""
    }
  }

  static let failureWithoutError = BridgeForm(
    testDescription: "success, failure without an error",
    kind: .throwing,
    delivered: .value("unlocked"),
    failing: .throwsMissingValue
  ) { sdk, watch in
    await ending {
      try await withAsyncThrowingValue(
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) { success, failure in
        try watch.operation { sdk.unlock(success: success, failure: failure) }
      } onCancel: {
        watch.onCancel($0)
      } onDiscard: {
        watch.onDiscard($0.id)
      }.id
    }
  }

  static let neither = BridgeForm(
    testDescription: "success and failure without arguments",
    kind: .throwing,
    delivered: .value(""),
    carriesValue: false,
    valueIsObject: false,
    failing: .throwsMissingValue
  ) { sdk, watch in
    await ending {
      try await withAsyncThrowingValue(
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) { success, failure in
        try watch.operation { sdk.lock(success: success, failure: failure) }
      } onCancel: {
        watch.onCancel($0)
      }
      return ""
    }
  }

  static let successFailureAndEnd = BridgeForm(
    testDescription: "success, failure and end",
    kind: .throwing,
    delivered: .value("signed in")
  ) { sdk, watch in
    await ending {
      try await withAsyncThrowingValue(
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) { success, failure, ended in
        try watch.operation { sdk.signIn(success: success, failure: failure, disposed: ended) }
      } onCancel: {
        watch.onCancel($0)
      } onDiscard: {
        watch.onDiscard($0.id)
      }.id
    }
  }

  static let successWithoutValueAndEnd = BridgeForm(
    testDescription: "success without a value, failure and end",
    kind: .throwing,
    delivered: .value(""),
    carriesValue: false,
    valueIsObject: false
  ) { sdk, watch in
    await ending {
      try await withAsyncThrowingValue(
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) { success, failure, ended in
        try watch.operation { sdk.signOut(success: success, failure: failure, disposed: ended) }
      } onCancel: {
        watch.onCancel($0)
      }
      return ""
    }
  }

  static let failureWithoutErrorAndEnd = BridgeForm(
    testDescription: "success, failure without an error, and end",
    kind: .throwing,
    delivered: .value("unlocked"),
    failing: .throwsMissingValue
  ) { sdk, watch in
    await ending {
      try await withAsyncThrowingValue(
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) { success, failure, ended in
        try watch.operation { sdk.unlock(success: success, failure: failure, disposed: ended) }
      } onCancel: {
        watch.onCancel($0)
      } onDiscard: {
        watch.onDiscard($0.id)
      }.id
    }
  }

  static let neitherAndEnd = BridgeForm(
    testDescription: "success and failure without arguments, and end",
    kind: .throwing,
    delivered: .value(""),
    carriesValue: false,
    valueIsObject: false,
    failing: .throwsMissingValue
  ) { sdk, watch in
    await ending {
      try await withAsyncThrowingValue(
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) { success, failure, ended in
        try watch.operation { sdk.lock(success: success, failure: failure, disposed: ended) }
      } onCancel: {
        watch.onCancel($0)
      }
      return ""
    }
  }
}
