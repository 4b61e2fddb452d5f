import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// How a bridged call ended, in words that all forms share.
enum Ending: Error, Equatable {
  case value(String)
  case failure(SDKError)
  case cancelled
  case dropped(line: UInt)
  case missing(line: UInt)
  /// With the length of the timeout, in words.
  case timedOut(String, line: UInt)
  case fallback
  case other(String)
}

/// A public bridge, wrapped so that one suite of laws runs over all of them: a new overload is one more
/// element of ``all``.
struct BridgeForm: Sendable, CustomTestStringConvertible {
  enum Kind {
    case throwing
    case fallback
    /// Neither throws nor has a fallback: waits for the value, whatever happens.
    case unconditional
  }

  let testDescription: String
  let kind: Kind

  /// The ending of a wait that gets its value.
  let delivered: Ending

  /// Whether it returns a value of the SDK, which can be discarded.
  var carriesValue = true

  /// How many values one answer brings.
  var valuesPerAnswer = 1

  /// Whether its value is an object, which can be counted.
  var valueIsObject = true

  /// Whether a value comes beside an error.
  var failureBringsValue = false

  /// What a failure comes to.
  enum Failing {
    case throwsError
    /// The shape has no room for the error.
    case throwsMissingValue
    /// The shape has no room for a failure: a value comes all the same.
    case brings
  }

  var failing = Failing.throwsError

  /// Whether `operation` may throw.
  var mayRefuse = true

  /// Whether its answers come by id: then an answer that nobody waits for is handed back, and not reported.
  var isPending = false

  let run: @Sendable (FakeSDK, Watch) async -> Ending

  static let all: [BridgeForm] =
    pending + [
      result, typedResult, sending, valueAndError, flagAndError, errorOnly, voidResult,
      twoValuesAndError,
      successAndFailure, successFailureAndCancelled,
      lateRequest,
      throwingPlain, throwingNeverFailing, throwingTwoValues, throwingThreeValues, throwingVoid,
      valueOrNilAndError, threeValuesAndError,
      successWithoutValue, failureWithoutError, neither,
      successFailureAndEnd, successWithoutValueAndEnd, failureWithoutErrorAndEnd, neitherAndEnd,
      mappedResult, mappedPlain, mappedVoid, mappedOtherResult, mappedAnyResult,
      mappedValueAndError,
      mappedValueOrNil, mappedErrorOnly, mappedSuccessAndFailure, mappedTwoValuesAndError,
      mappedSuccessWithoutValue,
      fallback, fallbackNeverFailing, fallbackTwoValues, fallbackVoid,
      plain, neverFailing, twoValues, void,
    ]
  static let throwing = all.filter { $0.kind == .throwing }
  static let refusing = throwing.filter(\.mayRefuse)
  static let failing = throwing.filter { $0.failing != .brings }
  static let withFallback = all.filter { $0.kind == .fallback }
  static let unconditional = all.filter { $0.kind == .unconditional }

  /// The forms that check for cancellation and return at once.
  static let checking = throwing + withFallback

  /// The ending of a wait whose task is cancelled.
  var cancelled: Ending { kind == .throwing ? .cancelled : .fallback }

  /// The ending of a wait whose time is up.
  func timedOut(_ watch: Watch) -> Ending {
    kind == .throwing ? .timedOut(watch.timeout?.description ?? "", line: watch.line) : .fallback
  }

  /// The ending of a wait whose SDK fails first.
  func failed(_ watch: Watch) -> Ending {
    switch failing {
    case .throwsError: .failure(.failed)
    case .throwsMissingValue: .missing(line: watch.line)
    case .brings: delivered
    }
  }

  /// What is reported for so many surplus answers.
  func reports(again count: Int) -> [MisuseReport.Kind] {
    isPending ? [] : Array(repeating: .completionCalledAgain, count: count)
  }

  /// How many values come with that many successes and failures. The forms that cannot fail bring a value
  /// with a failure too, and a `Bool` beside an error is a value.
  func values(_ successes: Int, failures: Int = 0) -> Int {
    let failureBringsValue = failureBringsValue || failing == .brings || kind != .throwing
    return carriesValue ? successes + (failureBringsValue ? failures : 0) : 0
  }
}

extension BridgeForm {
  static let result = BridgeForm(
    testDescription: "Result",
    kind: .throwing,
    delivered: .value("1")
  ) { sdk, watch in
    await ending {
      try await withAsyncThrowingValue(
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) { completion in
        try watch.operation { sdk.loadUser(id: "1", completion: completion) }
      } onCancel: {
        watch.onCancel($0)
      } onDiscard: {
        watch.onDiscard($0.id)
      }.id
    }
  }

  static let typedResult = BridgeForm(
    testDescription: "Result<_, SDKError>",
    kind: .throwing,
    delivered: .value("typed")
  ) { sdk, watch in
    await ending {
      try await withAsyncThrowingValue(
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) { completion in
        try watch.operation { sdk.typedUser(completion) }
      } onCancel: {
        watch.onCancel($0)
      } onDiscard: {
        watch.onDiscard($0.id)
      }.id
    }
  }

  static let sending = BridgeForm(
    testDescription: "sending Result",
    kind: .throwing,
    delivered: .value("session")
  ) { sdk, watch in
    await ending {
      try await withAsyncThrowingValue(
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) { completion in
        try watch.operation { sdk.openSession(completion) }
      } onCancel: {
        watch.onCancel($0)
      } onDiscard: {
        watch.onDiscard($0.user.id)
      }.user.id
    }
  }

  static let valueAndError = BridgeForm(
    testDescription: "value and error",
    kind: .throwing,
    delivered: .value("maybe")
  ) { sdk, watch in
    await ending {
      try await withAsyncThrowingValue(
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) { completion in
        try watch.operation { sdk.maybeUser(completion) }
      } onCancel: {
        watch.onCancel($0)
      } onDiscard: {
        watch.onDiscard($0.id)
      }.id
    }
  }

  static let flagAndError = BridgeForm(
    testDescription: "Bool and error",
    kind: .throwing,
    delivered: .value("true"),
    valueIsObject: false,
    failureBringsValue: true
  ) { sdk, watch in
    await ending {
      try await withAsyncThrowingValue(
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) { completion in
        try watch.operation { sdk.isPremium(completion) }
      } onCancel: {
        watch.onCancel($0)
      } onDiscard: {
        watch.onDiscard("\($0)")
      }.description
    }
  }

  static let errorOnly = BridgeForm(
    testDescription: "error only",
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
      ) { completion in
        try watch.operation { sdk.save(completion) }
      } onCancel: {
        watch.onCancel($0)
      }
      return ""
    }
  }

  static let voidResult = BridgeForm(
    testDescription: "Result<Void, _>",
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
      ) { completion in
        try watch.operation { sdk.rename(completion) }
      } onCancel: {
        watch.onCancel($0)
      }
      return ""
    }
  }

  static let twoValuesAndError = BridgeForm(
    testDescription: "two values and error",
    kind: .throwing,
    delivered: .value("pair"),
    valuesPerAnswer: 2
  ) { sdk, watch in
    await ending {
      let (user, friend) = try await withAsyncThrowingValue(
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
      return user === friend ? "the same" : user.id
    }
  }

  static let successAndFailure = BridgeForm(
    testDescription: "success and failure",
    kind: .throwing,
    delivered: .value("signed in")
  ) { sdk, watch in
    await ending {
      try await withAsyncThrowingValue(
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) { success, failure in
        try watch.operation { sdk.signIn(success: success, failure: failure) }
      } onCancel: {
        watch.onCancel($0)
      } onDiscard: {
        watch.onDiscard($0.id)
      }.id
    }
  }

  static let successFailureAndCancelled = BridgeForm(
    testDescription: "success, failure and cancelled",
    kind: .throwing,
    delivered: .value("signed in")
  ) { sdk, watch in
    await ending {
      try await withAsyncThrowingValue(
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) { success, failure, cancelled in
        try watch.operation { sdk.signIn(success: success, failure: failure, cancelled: cancelled) }
      } onCancel: {
        watch.onCancel($0)
      } onDiscard: {
        watch.onDiscard($0.id)
      }.id
    }
  }
}

extension BridgeForm {
  static let lateRequest = BridgeForm(
    testDescription: "Result, the request in a callback",
    kind: .throwing,
    delivered: .value("uploaded")
  ) { sdk, watch in
    await ending {
      try await withAsyncThrowingValue(
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) { completion in
        try watch.operation {
          LateRequest(cancel: { watch.onCancel($0) }) { arrived in
            sdk.upload(requestHandler: arrived, completion: completion)
          }
        }
      } onCancel: {
        $0.cancel()
      } onDiscard: {
        watch.onDiscard($0.id)
      }.id
    }
  }

  /// As ``lateRequest``, but the request comes when the test says so, and not before.
  static let laterRequest = BridgeForm(
    testDescription: "Result, the request later in a callback",
    kind: .throwing,
    delivered: .value("uploaded")
  ) { sdk, watch in
    await ending {
      try await withAsyncThrowingValue(
        whenCancelled: watch.response,
        timeout: watch.timeout,
        line: watch.line
      ) { completion in
        try watch.operation {
          LateRequest(cancel: { watch.onCancel($0) }) { arrived in
            sdk.uploadLater(requestHandler: arrived, completion: completion)
          }
        }
      } onCancel: {
        $0.cancel()
      } onDiscard: {
        watch.onDiscard($0.id)
      }.id
    }
  }
}

extension BridgeForm {
  static let fallback = BridgeForm(
    testDescription: "value, fallback",
    kind: .fallback,
    delivered: .value("me")
  ) {
    sdk,
    watch in
    await withAsyncValue(
      fallback: nil,
      whenCancelled: watch.response,
      timeout: watch.timeout,
      line: watch.line
    ) { (completion: @escaping @Sendable (User?) -> Void) in
      unthrowing { try watch.operation { sdk.currentUser(completion) } }
    } onCancel: {
      watch.onCancel($0)
    } onDiscard: {
      watch.onDiscard($0?.id ?? "the fallback")
    }.map { .value($0.id) } ?? .fallback
  }

  static let fallbackNeverFailing = BridgeForm(
    testDescription: "Result<_, Never>, fallback",
    kind: .fallback,
    delivered: .value("cached")
  ) { sdk, watch in
    await withAsyncValue(
      fallback: nil,
      whenCancelled: watch.response,
      timeout: watch.timeout,
      line: watch.line
    ) { (completion: @escaping @Sendable (Result<User?, Never>) -> Void) in
      unthrowing { try watch.operation { sdk.cachedUser { completion($0.map { $0 }) } } }
    } onCancel: {
      watch.onCancel($0)
    } onDiscard: {
      watch.onDiscard($0?.id ?? "the fallback")
    }.map { .value($0.id) } ?? .fallback
  }

  static let fallbackTwoValues = BridgeForm(
    testDescription: "two values, fallback",
    kind: .fallback,
    delivered: .value("pair"),
    valuesPerAnswer: 2
  ) { sdk, watch in
    let (host, _) = await withAsyncValue(
      fallback: (nil, nil),
      whenCancelled: watch.response,
      timeout: watch.timeout,
      line: watch.line
    ) { (completion: @escaping @Sendable (User?, User?) -> Void) in
      unthrowing { try watch.operation { sdk.hostAndGuest(completion) } }
    } onCancel: {
      watch.onCancel($0)
    } onDiscard: { host, guest in
      watch.onDiscard([host, guest].map { $0?.id ?? "the fallback" }.joined(separator: "+"))
    }
    return host.map { .value($0.id) } ?? .fallback
  }

  static let fallbackVoid = BridgeForm(
    testDescription: "Void, fallback",
    kind: .fallback,
    delivered: .fallback,
    carriesValue: false,
    valueIsObject: false
  ) { sdk, watch in
    await withAsyncValue(
      fallback: (),
      whenCancelled: watch.response,
      timeout: watch.timeout,
      line: watch.line
    ) { completion in
      unthrowing { try watch.operation { sdk.flush(completion) } }
    } onCancel: {
      watch.onCancel($0)
    }
    return .fallback
  }
}

extension BridgeForm {
  static let plain = BridgeForm(
    testDescription: "value",
    kind: .unconditional,
    delivered: .value("me")
  ) { sdk, watch in
    .value(
      await withAsyncValue(line: watch.line) { completion in
        unthrowing { try watch.operation { sdk.currentUser(completion) } }
      } onCancel: {
        watch.onCancel($0)
      } onDiscard: {
        watch.onDiscard($0.id)
      }.id
    )
  }

  static let neverFailing = BridgeForm(
    testDescription: "Result<_, Never>",
    kind: .unconditional,
    delivered: .value("cached")
  ) { sdk, watch in
    .value(
      await withAsyncValue(line: watch.line) { completion in
        unthrowing { try watch.operation { sdk.cachedUser(completion) } }
      } onCancel: {
        watch.onCancel($0)
      } onDiscard: {
        watch.onDiscard($0.id)
      }.id
    )
  }

  static let twoValues = BridgeForm(
    testDescription: "two values",
    kind: .unconditional,
    delivered: .value("pair"),
    valuesPerAnswer: 2
  ) { sdk, watch in
    let (host, _) = await withAsyncValue(line: watch.line) { completion in
      unthrowing { try watch.operation { sdk.hostAndGuest(completion) } }
    } onCancel: {
      watch.onCancel($0)
    } onDiscard: { host, guest in
      watch.onDiscard(host.id + "+" + guest.id)
    }
    return .value(host.id)
  }

  static let void = BridgeForm(
    testDescription: "Void",
    kind: .unconditional,
    delivered: .value(""),
    carriesValue: false,
    valueIsObject: false
  ) { sdk, watch in
    await withAsyncValue(line: watch.line) { completion in
      unthrowing { try watch.operation { sdk.flush(completion) } }
    } onCancel: {
      watch.onCancel($0)
    }
    return .value("")
  }
}

/// Names the error that a throwing bridge threw.
func ending(_ body: () async throws -> String) async -> Ending {
  do {
    return .value(try await body())
  } catch {
    return named(error)
  }
}

/// Names an error, as services do that have an error type of their own.
func named(_ error: any Error) -> Ending {
  switch error {
  case let error as SDKError: .failure(error)
  case is CancellationError: .cancelled
  case let error as DroppedCompletionError: .dropped(line: error.callSite.line)
  case let error as MissingValueError: .missing(line: error.callSite.line)
  case let error as TimeoutError:
    .timedOut(Timeout(error.duration).description, line: error.callSite.line)
  default: .other("\(error)")
  }
}

/// For the closures of bridges that cannot throw: the tests that throw in `operation` leave those out.
func unthrowing(_ body: () throws -> Request) -> Request {
  do {
    return try body()
  } catch {
    preconditionFailure("only the throwing forms may throw in operation: \(error)")
  }
}
