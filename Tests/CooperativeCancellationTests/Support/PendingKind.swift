import CooperativeCancellation
import FakeCallbackSDK
import PendingAnswers
import Testing

/// What waits for an answer that comes from elsewhere, for what holds for each kind of wait. What
/// holds for every bridge is tested over ``BridgeForm/pending``.
struct PendingKind: Sendable, CustomTestStringConvertible {
  /// The options and the closures of one call. An event ignores them, but for the operation.
  struct Closures: Sendable {
    var response = CancellationResponse.abandonCallback
    var timeout: Timeout?
    var operation: @Sendable () throws -> Void = {}
    var onCancel: @Sendable () -> Void = {}
    var onDiscard: @Sendable (String) -> Void = { _ in }
  }

  /// One object. The ids count only for the kinds that have some.
  struct Waits: Sendable {
    let call: @Sendable (_ id: Int, Closures) async throws -> String
    /// Returns how many took the answer.
    let answer: @Sendable (_ id: Int, Result<String, SDKError>) -> Int
    let close: @Sendable (any Error) -> Void
    let count: @Sendable () -> Int

    func value(during operation: @escaping @Sendable () throws -> Void = {}) async throws -> String
    {
      try await call(1, Closures(operation: operation))
    }

    func resume(_ result: Result<String, SDKError>) -> Int { answer(1, result) }
  }

  /// What the tests of some kinds ask.
  enum Trait { case returnsID, answersInOrder }

  let testDescription: String
  var traits: Set<Trait> = []
  let make:
    @Sendable (_ lateAnswers: Timeout?, _ onUnclaimed: @escaping @Sendable () -> Void) -> Waits

  static let idGiven = byID("id given", call: calling)

  static let calling: Call = { calls, id, closures in
    try await calls.value(
      for: id,
      whenCancelled: closures.response,
      timeout: closures.timeout
    ) {
      try closures.operation()
    } onCancel: {
      closures.onCancel()
    } onDiscard: {
      closures.onDiscard($0)
    }
  }

  typealias Call =
    @Sendable (PendingCalls<Int, String>, _ id: Int, Closures) async throws -> String

  static let idReturned = byID("id returned", traits: [.returnsID]) { calls, id, closures in
    try await calls.value {
      try closures.operation()
      return id
    } onCancel: { _ in
      closures.onCancel()
    } onDiscard: {
      closures.onDiscard($0)
    }
  }

  static let inTurn = byID("id in turn", .waitForTurn, call: calling)
  static let inOrder = byID(
    "id in order",
    .answerInOrder,
    traits: [.answersInOrder],
    call: calling
  )

  private static func byID(
    _ testDescription: String,
    _ policy: PendingCalls<Int, String>.TakenIDPolicy = .throwError,
    traits: Set<Trait> = [],
    call: @escaping Call
  ) -> PendingKind {
    PendingKind(testDescription: testDescription, traits: traits) { lateAnswers, onUnclaimed in
      let calls = PendingCalls<Int, String>(ifTaken: policy, lateAnswers: lateAnswers) { _, _ in
        onUnclaimed()
      }
      // Some of the ids recur.
      return Waits(calls, ids: policy == .throwError ? .max : 2, call)
    }
  }

  static let oneAtATime = PendingKind(testDescription: "one at a time") { lateAnswers, _ in
    let call = PendingCall<String>(lateAnswers: lateAnswers)
    return Waits(
      call: { _, closures in
        try await call.value(whenCancelled: closures.response, timeout: closures.timeout) {
          try closures.operation()
        } onCancel: {
          closures.onCancel()
        } onDiscard: {
          closures.onDiscard($0)
        }
      },
      answer: { call.tryResume(with: $1) ? 1 : 0 },
      close: { call.close(throwing: $0) },
      count: { call.calls.count }
    )
  }

  static let event = PendingKind(testDescription: "event") { _, _ in
    let event = PendingEvent<String>()
    return Waits(
      call: { _, closures in try await event.value { try closures.operation() } },
      answer: { _, result in
        switch result {
        case .success(let value): event.tryResume(returning: value)
        case .failure(let error): event.tryResume(throwing: error)
        }
      },
      close: { event.close(throwing: $0) },
      count: { event.count }
    )
  }

  static let all = [idGiven, idReturned, inTurn, inOrder, oneAtATime, event]
}

extension PendingKind.Waits {
  init(
    _ calls: PendingCalls<Int, String>,
    ids: Int = .max,
    _ call: @escaping PendingKind.Call = PendingKind.calling
  ) {
    self.init(
      call: { try await call(calls, $0 % ids, $1) },
      answer: { calls.tryResume($0 % ids, with: $1) ? 1 : 0 },
      close: { calls.close(throwing: $0) },
      count: { calls.count }
    )
  }
}
