import CooperativeCancellation
import FakeCallbackSDK
import PendingAnswers
import Testing

/// What waits for an answer that comes from elsewhere, for what holds for each kind of wait. What holds for every bridge
/// is tested over ``BridgeForm/pending``.
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

@Suite("Pending waits of each kind", .watchdog) struct PendingKindTests {
  private let executor = ManualExecutor()

  private func begin(_ waits: PendingKind.Waits) -> Task<String, any Error> {
    defer { executor.runUntilIdle() }
    return Task(executorPreference: executor) { try await waits.value() }
  }

  @Test(arguments: PendingKind.all)
  func `an answer is taken by what waits, at once or later, and by nothing else`(kind: PendingKind)
    async throws
  {
    let waits = kind.make(nil) {}
    #expect(waits.resume(.success("unknown")) == 0)
    #expect(waits.resume(.failure(.failed)) == 0)
    let early = try await waits.value { #expect(waits.resume(.success("early")) == 1) }
    #expect(early == "early")
    for (answer, ending) in [
      (.success("first"), .value("first")), (.failure(.failed), .failure(.failed)),
    ] as [(Result<String, SDKError>, Ending)] {
      let task = begin(waits)
      #expect(waits.count() == 1)
      #expect(waits.resume(answer) == 1)
      #expect(waits.resume(.success("second")) == 0)
      #expect(waits.count() == 0)
      executor.runUntilIdle()
      #expect(await CooperativeCancellationTests.ending { try await task.value } == ending)
    }
  }

  @Test(arguments: PendingKind.all)
  func `an operation that throws leaves nothing`(kind: PendingKind) async throws {
    let waits = kind.make(nil) {}
    await #expect(throws: SDKError.failed) { try await waits.value { throw SDKError.failed } }
    #expect(waits.count() == 0)
    #expect(waits.resume(.success("late")) == 0)
    let task = begin(waits)
    #expect(waits.resume(.success("own")) == 1)
    executor.runUntilIdle()
    #expect(try await task.value == "own")
  }

  @Test(arguments: PendingKind.all, [false, true])
  func `close ends what waits, and what comes later before its SDK is called`(
    kind: PendingKind,
    isInsideTheCall: Bool
  ) async {
    let waits = kind.make(nil) {}
    let task = Task(executorPreference: executor) {
      try await waits.value { if isInsideTheCall { waits.close(SDKError.failed) } }
    }
    executor.runUntilIdle()
    waits.close(isInsideTheCall ? SDKError.cancelled : SDKError.failed)
    waits.close(SDKError.cancelled)
    executor.runUntilIdle()
    await #expect(throws: SDKError.failed) { try await task.value }
    await #expect(throws: SDKError.failed) {
      try await waits.value { Issue.record("the SDK is called") }
    }
    #expect(waits.count() == 0)
    #expect(waits.resume(.success("late")) == 0)
  }

  @Test func `what waits for nothing needs no value`() async throws {
    let (calls, call, event) = (
      PendingCalls<Int, Void>(), PendingCall<Void>(), PendingEvent<Void>()
    )
    try await calls.value(for: 1) { #expect(calls.tryResume(1)) }
    try await call.value { #expect(call.tryResume()) }
    try await event.value { #expect(event.tryResume() == 1) }
    #expect(!calls.tryResume(1) && !call.tryResume() && event.tryResume() == 0)
  }

  @Test
  func `a value that is not Sendable is sent, and handed back if no call waits`() async throws {
    let (calls, call) = (PendingCalls<Int, Document>(), PendingCall<Document>())
    let refused = calls.tryResume(1, sending: Document("1"))
    let refusedToo = call.tryResume(sending: Document("2"))
    #expect(refused?.name == "1" && refusedToo?.name == "2")
    let values = (
      try await calls.value(for: 1) {
        let rest = calls.tryResume(1, sending: Document("given"))
        #expect(rest == nil)
      },
      try await calls.value {
        let rest = calls.tryResume(7, sending: Document("parked"))
        #expect(rest == nil)
        return 7
      },
      try await call.value {
        let rest = call.tryResume(sending: Document("alone"))
        #expect(rest == nil)
      }
    )
    #expect([values.0.name, values.1.name, values.2.name] == ["given", "parked", "alone"])
  }
}

/// A value that is not `Sendable`.
private final class Document {
  var name: String

  init(_ name: String) { self.name = name }
}

/// Many that wait for one event.
@Suite("Pending events", .watchdog) struct PendingEventTests {
  private let event = PendingEvent<Int>()
  private let executor = ManualExecutor()

  private func begin() -> Task<Int, any Error> {
    defer { executor.runUntilIdle() }
    return Task(executorPreference: executor) { [event] in try await event.value() }
  }

  @Test
  func `an event that closes it reaches those that wait, and all that come later`() async throws {
    let waiting = begin()
    event.close(returning: 1)
    event.close(returning: 2)
    event.close(throwing: SDKError.failed)
    #expect(event.tryResume(returning: 3) == 0)
    executor.runUntilIdle()
    #expect(try await waiting.value == 1)
    #expect(try await event.value { Issue.record("the SDK is called") } == 1)
    #expect(event.count == 0)
    // Check before.
    let late = Task(executorPreference: executor) { [event] in try await event.value() }
    late.cancel()
    executor.runUntilIdle()
    await #expect(throws: CancellationError.self) { try await late.value }
  }

  @Test func `only the first close counts, also of one that comes during the call`() async throws {
    #expect(try await event.value { event.close(returning: 1) } == 1)
    let failed = PendingEvent<Void>()
    failed.close(throwing: SDKError.failed)
    failed.close(returning: ())
    await #expect(throws: SDKError.failed) { try await failed.value() }
  }

  @Test func `a wait that is cancelled or times out leaves, and the others go on`() async throws {
    let (first, others) = (begin(), [begin(), begin()])
    first.cancel()
    executor.runUntilIdle()
    await #expect(throws: CancellationError.self) { try await first.value }
    await #expect(throws: TimeoutError.self) { try await event.value(timeout: .milliseconds(1)) }
    #expect(event.count == 2)
    #expect(event.tryResume(returning: 1) == 2)
    executor.runUntilIdle()
    for other in others { #expect(try await other.value == 1) }
  }
}
