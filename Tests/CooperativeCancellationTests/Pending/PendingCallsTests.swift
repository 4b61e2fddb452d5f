import CooperativeCancellation
import FakeCallbackSDK
import PendingAnswers
import Testing

/// What holds for each kind of wait for an answer that comes from elsewhere.
@Suite("Pending calls", .watchdog) struct PendingCallsTests {
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

  @Test(arguments: PendingKind.all, [false, true])
  func `an operation that throws leaves nothing, also after an answer inside it`(
    kind: PendingKind,
    isAnswered: Bool
  ) async throws {
    let waits = kind.make(nil) {}
    await #expect(throws: SDKError.failed) {
      try await waits.value {
        if isAnswered { #expect(waits.resume(.success("inside")) == 1) }
        throw SDKError.failed
      }
    }
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

  @Test
  func `a value that a call took and does not return is discarded on the caller's actor`() async {
    let calls = PendingCalls<Int, String>()
    let discarded = Protected<[String]>([])
    let task = Task { @MainActor [calls] in
      try await calls.value(for: 1, whenCancelled: .waitForCallback) {
        withUnsafeCurrentTask { $0?.cancel() }
      } onCancel: {
        Task.detached { #expect(calls.tryResume(1, returning: "late")) }
      } onDiscard: { value in
        MainActor.assertIsolated()
        discarded.withLock { $0.append(value) }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(discarded.withLock { $0 } == ["late"])
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
