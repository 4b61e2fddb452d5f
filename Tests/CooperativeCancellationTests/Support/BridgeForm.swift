import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// How a bridged call ended, in words that all forms share.
enum Ending: Equatable, Sendable {
  case value(String)
  case failure(SDKError)
  case cancelled
  case dropped(line: UInt)
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

  /// Whether a value of the SDK comes out, and can be discarded.
  var carriesValue = true

  let run: @Sendable (FakeSDK, Watch) async -> Ending

  static let all = [
    result, sending, fallback, fallbackNeverFailing, fallbackVoid, plain, neverFailing, void,
  ]
  static let throwing = all.filter { $0.kind == .throwing }
  static let withFallback = all.filter { $0.kind == .fallback }
  static let unconditional = all.filter { $0.kind == .unconditional }

  /// Those which check for cancellation and come back at once.
  static let checking = throwing + withFallback

  /// The ending of a wait whose task is cancelled.
  var cancelled: Ending { kind == .throwing ? .cancelled : .fallback }

  /// How many values come with that many answers.
  func values(_ answers: Int) -> Int { carriesValue ? answers : 0 }
}

extension BridgeForm {
  static let result = BridgeForm(
    testDescription: "Result",
    kind: .throwing,
    delivered: .value("1")
  ) { sdk, watch in
    await ending {
      try await withAsyncThrowingValue(whenCancelled: watch.response, line: watch.line) {
        completion in
        try watch.operation { sdk.loadUser(id: "1", completion: completion) }
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
  ) {
    sdk,
    watch in
    await ending {
      let session = try await withAsyncThrowingValue(
        whenCancelled: watch.response,
        line: watch.line
      ) { completion in
        try watch.operation { sdk.openSession(completion) }
      } onCancel: {
        watch.onCancel($0)
      } onDiscard: {
        watch.onDiscard($0.user.id)
      }
      return session.user.id
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
      line: watch.line
    ) { (completion: @escaping @Sendable (Result<User?, Never>) -> Void) in
      unthrowing { try watch.operation { sdk.cachedUser { completion($0.map { $0 }) } } }
    } onCancel: {
      watch.onCancel($0)
    } onDiscard: {
      watch.onDiscard($0?.id ?? "the fallback")
    }.map { .value($0.id) } ?? .fallback
  }

  static let fallbackVoid = BridgeForm(
    testDescription: "Void, fallback",
    kind: .fallback,
    delivered: .fallback,
    carriesValue: false
  ) { sdk, watch in
    await withAsyncValue(
      fallback: (),
      whenCancelled: watch.response,
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

  static let void = BridgeForm(
    testDescription: "Void",
    kind: .unconditional,
    delivered: .value(""),
    carriesValue: false
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
private func ending(_ body: () async throws -> String) async -> Ending {
  do {
    return .value(try await body())
  } catch let error as SDKError {
    return .failure(error)
  } catch is CancellationError {
    return .cancelled
  } catch let error as DroppedCompletionError {
    return .dropped(line: error.callSite.line)
  } catch {
    return .other("\(error)")
  }
}

/// For the closures of bridges that cannot throw: the tests that throw in `operation` leave those out.
private func unthrowing(_ body: () throws -> Request) -> Request {
  do {
    return try body()
  } catch {
    preconditionFailure("only the throwing forms may throw in operation: \(error)")
  }
}
