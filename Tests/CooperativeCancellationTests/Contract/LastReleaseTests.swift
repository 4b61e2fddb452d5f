import CooperativeCancellation
import FakeCallbackSDK
import PendingAnswers
import Testing

/// Who releases a value last. The task that was given it, or the `onDiscard` that took it over:
/// never the thread that answers, on which its `deinit` would run beside the task.
@Suite("The last release", .watchdog) struct LastReleaseTests {
  enum End { case inTheTask, onTheThreadThatAnswers }
  enum Reference { case theOnlyOne, oneOfSeveral }

  /// A task whose executor returns from `enqueue` only when the task has gone on: what the thread
  /// that wakes it lets go after that, it lets go too late.
  final class Stage: Sendable {
    private let executor = ManualExecutor()
    private let task = Protected<Task<Void, Never>?>(nil)
    private let answer = Protected<(@Sendable () -> Void)?>(nil)
    private let isInTask = Protected(false)
    /// Where each value has ended.
    let ends = Protected<[End]>([])

    @Sendable func value() -> OnRelease {
      OnRelease { [isInTask, ends] in
        let isInTask = isInTask.withLock { $0 }
        ends.withLock { $0.append(isInTask ? .inTheTask : .onTheThreadThatAnswers) }
      }
    }

    /// What was handed over with each value.
    let references = Protected<[Reference]>([])

    @Sendable func letGo(_ value: consuming sending some Any) {
      let count = ends.withLock { $0.count }
      release(value)
      let isLast = ends.withLock { $0.count } > count
      references.withLock { $0.append(isLast ? .theOnlyOne : .oneOfSeveral) }
    }

    func whenAnswering(_ body: @escaping @Sendable () -> Void) { answer.withLock { $0 = body } }

    func cancel() { task.withLock { $0 }?.cancel() }

    func run(_ body: @escaping @Sendable (Stage) async throws -> Void) async {
      let task = Task(executorPreference: executor) { _ = try? await body(self) }
      self.task.withLock { $0 = task }
      executor.runUntilIdle()
      executor.onEnqueue { [executor, isInTask] in
        isInTask.withLock { $0 = true }
        executor.runUntilIdle()
        isInTask.withLock { $0 = false }
      }
      while answer.withLock({ $0 == nil }) { await Task.yield() }
      answer.withLock { $0.take() }?()
      await task.value
      executor.onEnqueue {}
      self.task.withLock { $0 = nil }
    }
  }

  struct Form: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let run: @Sendable (Stage) async throws -> Void

    init(_ name: String, _ run: @escaping @Sendable (Stage) async throws -> Void) {
      testDescription = name
      self.run = run
    }
  }

  private struct Failure: Error {
    let value: OnRelease
  }

  private typealias Calls = PendingCalls<Int, OnRelease>

  // A table, as in BridgeForm+shapes.swift.
  // swift-format-ignore
  static let forms: [Form] = [
    Form("continuation") { stage in
      _ = try await withCancellableThrowingContinuation { continuation in
        stage.whenAnswering { continuation.resume(returning: stage.value()) }
      }
    },
    Form("continuation, a result") { stage in
      _ = try await withCancellableThrowingContinuation { continuation in
        stage.whenAnswering {
          continuation.resume(with: Result<_, SDKError>.success(stage.value()))
        }
      }
    },
    Form("continuation, an error") { stage in
      _ = try await withCancellableThrowingContinuation {
        (continuation: CancellableContinuation<Int, any Error>) in
        stage.whenAnswering { continuation.resume(throwing: Failure(value: stage.value())) }
      }
    },
    Form("continuation, whether it decides") { stage in
      _ = try await withCancellableThrowingContinuation { continuation in
        stage.whenAnswering { _ = continuation.tryResume(returning: stage.value()) as Bool }
      }
    },
    Form("continuation, fallback") { stage in
      _ = await withCancellableContinuation(fallback: nil) { continuation in
        stage.whenAnswering { continuation.resume(returning: stage.value()) }
      }
    },
    Form("continuation, uncancellable") { stage in
      _ = await withUncancellableContinuation { continuation in
        stage.whenAnswering { continuation.resume(returning: stage.value()) }
      }
    },
    Form("abandonable task") { stage in
      let mayEnd = Signal()
      _ = try await withAbandonableTask {
        stage.whenAnswering { mayEnd.fire() }
        await mayEnd.wait()
        return stage.value()
      }
    },
    Form("abandonable task, an error") { stage in
      let mayEnd = Signal()
      try await withAbandonableTask {
        stage.whenAnswering { mayEnd.fire() }
        await mayEnd.wait()
        throw Failure(value: stage.value())
      }
    },
    pending("sending") { calls, stage in
      if calls.tryResume(1, sending: stage.value()) != nil { Issue.record("no call") }
    },
    pending("a value") { $0.resume(1, returning: $1.value()) },
    pending("a result") { $0.resume(1, with: Result<_, SDKError>.success($1.value())) },
    pending("an error") { $0.resume(1, throwing: Failure(value: $1.value())) },
    pending("a turn", .waitForTurn) { $0.resume(1, returning: $1.value()) },
    pending("in order", .answerInOrder) { $0.resume(1, returning: $1.value()) },
    Form("pending, id returned") { stage in
      let calls = Calls()
      _ = try await calls.value {
        stage.whenAnswering { calls.resume(1, returning: stage.value()) }
        return 1
      }
    },
    Form("pending, asynchronous operation") { stage in
      let calls = Calls()
      _ = try await calls.value(forSending: 1) {
        stage.whenAnswering { calls.resume(1, returning: stage.value()) }
      }
    },
    Form("pending, one at a time") { stage in
      let call = PendingCall<OnRelease>()
      _ = try await call.value { stage.whenAnswering { call.resume(returning: stage.value()) } }
    },
    Form("event") { stage in
      let event = PendingEvent<OnRelease>()
      _ = try await event.value { stage.whenAnswering { event.resume(returning: stage.value()) } }
    },
  ]

  private static func pending(
    _ name: String,
    _ policy: Calls.TakenIDPolicy = .throwError,
    answer: @escaping @Sendable (Calls, Stage) -> Void
  ) -> Form {
    Form("pending, \(name)") { stage in
      let calls = Calls(ifTaken: policy)
      _ = try await calls.value(for: 1) { stage.whenAnswering { answer(calls, stage) } }
    }
  }

  @Test(arguments: forms)
  func `a value or an error ends in the task that was given it`(form: Form) async {
    let stage = Stage()
    await stage.run(form.run)
    let ends = stage.ends.withLock { $0 }
    #expect(ends == [.inTheTask], "the thread that answers still had a reference")
  }

  /// What brings a value that the wait does not return.
  // swift-format-ignore
  static let discarding: [Form] = [
    Form("late") { try await cancelled($0, .abandonCallback) },
    Form("by the task") { try await cancelled($0, .waitForCallback) },
    Form("a second one") { stage in
      _ = try await withCancellableThrowingContinuation { continuation in
        continuation.resume(returning: OnRelease {})
        stage.whenAnswering { continuation.resume(returning: stage.value()) }
      } onDiscard: { (value: consuming sending OnRelease) in stage.letGo(value) }
    },
    Form("before an error of the closure") { stage in
      stage.whenAnswering {}
      _ = try await withCancellableThrowingContinuation { continuation in
        continuation.resume(returning: stage.value())
        throw SDKError.failed
      } onDiscard: { (value: consuming sending OnRelease) in stage.letGo(value) }
    },
    Form("after an error of the closure") { stage in
      _ = try await withCancellableThrowingContinuation { continuation in
        stage.whenAnswering { continuation.resume(returning: stage.value()) }
        throw SDKError.failed
      } onDiscard: { (value: consuming sending OnRelease) in stage.letGo(value) }
    },
    Form("abandoned") { stage in
      let mayEnd = Signal()
      _ = try await withAbandonableTask {
        stage.whenAnswering { mayEnd.fire() }
        stage.cancel()
        await mayEnd.wait()
        return stage.value()
      } onDiscard: { (value: consuming sending OnRelease) in stage.letGo(value) }
    },
    Form("pending, late, in order") { stage in
      let calls = Calls(ifTaken: .answerInOrder)
      let response = CancellationResponse.abandonCallback
      _ = try await calls.value(for: 1, whenCancelled: response) {
        stage.cancel()
        stage.whenAnswering { _ = calls.tryResume(1, sending: stage.value()) }
      } onDiscard: { (value: consuming sending OnRelease) in stage.letGo(value) }
    },
    Form("pending, by the task") { stage in
      let calls = Calls()
      _ = try await calls.value(for: 1, whenCancelled: .waitForCallback) {
        stage.cancel()
        stage.whenAnswering { _ = calls.tryResume(1, sending: stage.value()) }
      } onDiscard: { (value: consuming sending OnRelease) in stage.letGo(value) }
    },
    Form("pending, handed back") { stage in
      stage.whenAnswering { [calls = Calls()] in
        if let value = calls.tryResume(1, sending: stage.value()) { stage.letGo(consume value) }
      }
    },
    Form("pending, unclaimed") { stage in
      let calls = Calls { (_, answer: consuming sending Result<OnRelease, any Error>) in
        stage.letGo(answer)
      }
      stage.whenAnswering {}
      _ = try await calls.value {
        _ = calls.tryResume(2, sending: stage.value())
        stage.cancel()
        return 1
      }
    },
  ]

  private static func cancelled(_ stage: Stage, _ response: CancellationResponse) async throws {
    _ = try await withCancellableThrowingContinuation(whenCancelled: response) { continuation in
      stage.cancel()
      stage.whenAnswering { continuation.resume(returning: stage.value()) }
    } onDiscard: { (value: consuming sending OnRelease) in
      stage.letGo(value)
    }
  }

  @Test(arguments: discarding)
  func `whoever a value is handed to has the only reference`(form: Form) async {
    let stage = Stage()
    await stage.run(form.run)
    while stage.references.withLock({ $0.isEmpty }) { await Task.yield() }
    let references = stage.references.withLock { $0 }
    #expect(references == [.theOnlyOne], "who hands the value over still had a reference")
  }
}

/// Releases what it was passed before it returns: the optimizer may move a release, but not out of
/// a function that it does not see.
@inline(never)
private func release(_ value: consuming some Any) {}
