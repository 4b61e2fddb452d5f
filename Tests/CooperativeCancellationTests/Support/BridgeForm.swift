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

/// A public bridge, wrapped so that one suite runs over all of them: a new overload is one more
/// element of ``all``.
struct BridgeForm: Sendable, CustomTestStringConvertible {
  enum Kind {
    case throwing
    case fallback
    /// Neither throws nor has a fallback: waits for the value, whatever happens.
    case unconditional
  }

  /// What makes a form different from most others.
  enum Trait {
    /// The shape has no room for the error: a failure throws ``MissingValueError``.
    case throwsMissingValue
    /// The shape has no room for a failure: a value comes all the same.
    case valueDespiteFailure
    /// It has no value of the SDK, which could be discarded.
    case void
    /// It is a continuation: it checks for a cancellation neither before nor after.
    case unchecked
    /// Its answers come by id: then an answer that no call waits for is handed back, and not
    /// reported.
    case pending
  }

  let kind: Kind
  let testDescription: String

  /// The ending of a wait that gets its value.
  let delivered: Ending

  /// How many values one answer brings.
  let valuesPerAnswer: Int

  private let traits: [Trait]
  let run: @Sendable (FakeSDK, Watch) async -> Ending

  init(
    _ kind: Kind,
    _ testDescription: String,
    delivers delivered: Ending,
    values: Int = 1,
    _ traits: [Trait],
    run: @escaping @Sendable (FakeSDK, Watch) async -> Ending
  ) {
    self.kind = kind
    self.testDescription = testDescription
    self.delivered = delivered
    valuesPerAnswer = values
    self.traits = traits
    self.run = run
  }

  var carriesValue: Bool { !traits.contains(.void) }
  var isPending: Bool { traits.contains(.pending) }
  var checks: Bool { kind != .unconditional && !traits.contains(.unchecked) }

  static let throwing = all.filter { $0.kind == .throwing }
  static let failing = throwing.filter { !$0.traits.contains(.valueDespiteFailure) }
  static let withFallback = all.filter { $0.kind == .fallback }
  static let unconditional = all.filter { $0.kind == .unconditional }

  /// The forms whose wait a cancellation ends, and those that also check for it before and after.
  static let cancellable = throwing + withFallback
  static let checking = cancellable.filter(\.checks)
  static let unchecked = cancellable.filter { !$0.checks }

  /// The ending of a wait whose task is cancelled.
  var cancelled: Ending { kind == .throwing ? .cancelled : .fallback }

  /// The ending of a wait whose time is up.
  func timedOut(_ watch: Watch) -> Ending {
    kind == .throwing ? .timedOut(watch.timeout?.description ?? "", line: watch.line) : .fallback
  }

  /// The ending of a wait whose SDK fails first.
  func failed(_ watch: Watch) -> Ending {
    if kind != .throwing || traits.contains(.valueDespiteFailure) { return delivered }
    return traits.contains(.throwsMissingValue) ? .missing(line: watch.line) : .failure(.failed)
  }

  /// What is reported for so many surplus answers.
  func reports(again count: Int) -> [RuntimeIssue.Kind] {
    isPending ? [] : Array(repeating: .completionCalledAgain, count: count)
  }

  /// How many values come with that many successes and failures. Forms that cannot fail bring one
  /// with a failure, too.
  func values(_ successes: Int, failures: Int = 0) -> Int {
    let failureBringsValue = kind != .throwing || traits.contains(.valueDespiteFailure)
    return carriesValue ? successes + (failureBringsValue ? failures : 0) : 0
  }
}

/// What the forms have in common; each form adds the call of its own overload.
extension BridgeForm {
  static func throwingForm(
    _ testDescription: String,
    delivers id: String,
    values: Int = 1,
    _ traits: Trait...,
    call: @escaping @Sendable (FakeSDK, Watch) async throws -> String
  ) -> BridgeForm {
    BridgeForm(.throwing, testDescription, delivers: .value(id), values: values, traits) {
      sdk,
      watch in
      await ending { try await call(sdk, watch) }
    }
  }

  static func throwingVoidForm(
    _ testDescription: String,
    _ traits: Trait...,
    call: @escaping @Sendable (FakeSDK, Watch) async throws -> Void
  ) -> BridgeForm {
    BridgeForm(.throwing, testDescription, delivers: .value(""), traits + [.void]) { sdk, watch in
      await ending {
        try await call(sdk, watch)
        return ""
      }
    }
  }

  /// Has `nil` for a fallback.
  static func fallbackForm(
    _ testDescription: String,
    delivers id: String,
    _ traits: Trait...,
    call: @escaping @Sendable (FakeSDK, Watch) async -> User?
  ) -> BridgeForm {
    BridgeForm(.fallback, testDescription, delivers: .value(id), values: 1, traits) {
      await call($0, $1).map { .value($0.id) } ?? .fallback
    }
  }

  static func unconditionalForm(
    _ testDescription: String,
    delivers id: String,
    _ traits: Trait...,
    call: @escaping @Sendable (FakeSDK, Watch) async -> String
  ) -> BridgeForm {
    BridgeForm(.unconditional, testDescription, delivers: .value(id), values: 1, traits) {
      .value(await call($0, $1))
    }
  }
}

/// Names the error that a throwing bridge threw.
func ending(_ body: () async throws -> String) async -> Ending {
  do {
    return .value(try await body())
  } catch let error as SDKError {
    return .failure(error)
  } catch is CancellationError {
    return .cancelled
  } catch let error as DroppedCompletionError {
    return .dropped(line: error.callSite.line)
  } catch let error as MissingValueError {
    return .missing(line: error.callSite.line)
  } catch let error as TimeoutError {
    return .timedOut(Timeout.seconds(error.seconds).description, line: error.callSite.line)
  } catch {
    return .other("\(error)")
  }
}

/// For the closures of bridges that cannot throw: the tests that throw in `operation` leave those
/// out.
func unthrowing(_ body: () throws -> Request) -> Request {
  do {
    return try body()
  } catch {
    preconditionFailure("only the throwing forms may throw in operation: \(error)")
  }
}
