import CooperativeCancellation
import Dispatch
import FakeCallbackSDK
import Synchronization
import Testing

/// Each test takes the library's locks again at a moment when a held lock would deadlock:
/// the watchdog would end the test run.
@Suite("G8 no lock held", .watchdog)
struct LockTests {
  /// Calls the completion again, once, where it is run.
  final class AnswerAgain: Sendable {
    let backend = Protected<Backend?>(nil)

    @Sendable func callAsFunction() {
      let backend = backend.withLock { backend in
        defer { backend = nil }
        return backend
      }
      backend?.answer()
    }
  }

  @Test(arguments: BridgeForm.all)
  func `a task is resumed by an answer with no lock held`(form: BridgeForm) {
    let call = TestCall(form, .onDemand)
    let answerAgain = AnswerAgain()
    call.run()
    answerAgain.backend.withLock { $0 = call.backend }
    call.executor.onEnqueue { answerAgain() }
    call.backend.answer()
    call.run()
    #expect(call.ending == form.delivered)
    #expect(call.watch.reports == form.reports(again: 1))
  }

  @Test(arguments: BridgeForm.checking)
  func `a task is resumed by a cancellation with no lock of the library held`(form: BridgeForm) {
    let call = TestCall(form, .onDemand)
    let answerAgain = AnswerAgain()
    call.run()
    answerAgain.backend.withLock { $0 = call.backend }
    call.executor.onEnqueue { answerAgain() }
    call.cancel()
    call.run()
    #expect(call.ending == form.cancelled)
    #expect(call.watch.discarded == form.values(1))
  }

  @Test(arguments: BridgeForm.all)
  func `a task is resumed by a drop with no lock held`(form: BridgeForm) {
    guard form.kind != .unconditional || !form.carriesValue else { return }
    let call = TestCall(form, .onDemand)
    call.run()
    let watch = call.watch
    call.executor.onEnqueue { #expect(watch.discarded == 0) }
    call.backend.drop()
    call.run()
    #expect(call.ending != nil)
  }

  @Test(arguments: BridgeForm.all.filter(\.carriesValue))
  func `onDiscard may call the completion again`(form: BridgeForm) {
    let answerAgain = AnswerAgain()
    let call = TestCall(form, .onDemand, Watch(inOnDiscard: { answerAgain() }))
    call.run()
    call.backend.answer()
    answerAgain.backend.withLock { $0 = call.backend }
    call.backend.answer()
    call.run()
    #expect(call.ending == form.delivered)
    #expect(call.watch.discarded == 2)
  }

  @Test(arguments: BridgeForm.throwing.filter(\.carriesValue))
  func `onDiscard may call the completion again after operation threw`(form: BridgeForm) {
    let answerAgain = AnswerAgain()
    let watch = Watch(
      afterSDK: { throw SDKError.failed },
      inOnDiscard: { answerAgain() }
    )
    let call = TestCall(form, .insideTheCall, watch)
    answerAgain.backend.withLock { $0 = call.backend }
    call.run()
    #expect(call.ending == .failure(.failed))
    #expect(watch.discarded == 2)
    #expect(watch.reports == form.reports(again: 1))
  }

  @Test(arguments: BridgeForm.all)
  func `onCancel may call the completion`(form: BridgeForm) {
    let answerAgain = AnswerAgain()
    let call = TestCall(form, .onDemand, Watch(inOnCancel: { answerAgain() }))
    call.run()
    answerAgain.backend.withLock { $0 = call.backend }
    call.cancel()
    call.run()
    #expect(call.ending == (form.kind == .unconditional ? form.delivered : form.cancelled))
  }

  @Test
  func `a value may call the completion when it is released`() async {
    final class Caller: Sendable {
      let completion = Protected<(@Sendable (Result<Caller?, any Error>) -> Void)?>(nil)

      deinit {
        completion.withLock { $0 }?(.success(nil))
      }
    }
    let line = Reports.shared.uniqueLine()
    let released = Atomic(0)
    for answers in 1...3 {
      // Delivered and released by the task; discarded and released by the callback.
      _ = try? await withAsyncThrowingValue(line: line) { completion in
        for _ in 0..<answers {
          let caller = Caller()
          caller.completion.withLock { $0 = completion }
          completion(.success(caller))
        }
      } onDiscard: { _ in
        released.add(1, ordering: .relaxed)
      }
    }
    // 0 + 1 + 2 duplicates, and one more answer from each of the six values when it was released.
    #expect(released.load(ordering: .relaxed) == 3 + 6)
  }

  @Test
  func `an object that a report handler captured may use the handler when it is released`() async {
    let result = await #expect(processExitsWith: .success) {
      final class Captured: Sendable {
        let released: Protected<Int>

        init(_ released: Protected<Int>) {
          self.released = released
        }

        deinit {
          _ = MisuseReport.handler
          released.withLock { $0 += 1 }
        }
      }
      let released = Protected(0)
      do {
        let captured = Captured(released)
        MisuseReport.handler = { _ in withExtendedLifetime(captured) {} }
      }
      MisuseReport.handler = { _ in }
      #expect(released.withLock { $0 } == 1)
    }
    #expect(result != nil)
  }

  @Test
  func `the report handler may be replaced from inside itself`() async {
    let result = await #expect(processExitsWith: .success) {
      let calls = Protected(0)
      MisuseReport.handler = { _ in
        MisuseReport.handler = { _ in calls.withLock { $0 += 1 } }
      }
      await withAsyncValue {
        $0(); $0(); $0()
      }
      #expect(calls.withLock { $0 } == 1)
    }
    #expect(result != nil)
  }

  @Test
  func `the lock of all deadlines is not held when a timeout wakes its task`() async {
    let executor = ManualExecutor()
    let isReady = Signal()
    executor.onEnqueue {
      _ = Deadlines.all.count
      isReady.fire()
    }
    let kept = Protected<(@Sendable () -> Void)?>(nil)
    let task = Task(executorPreference: executor) {
      try await withAsyncThrowingValue(timeout: .milliseconds(1)) {
        (completion: @escaping @Sendable () -> Void) in
        kept.withLock { $0 = completion }
      }
    }
    await isReady.wait()
    executor.runUntilIdle()
    await isReady.wait()
    executor.runUntilIdle()
    await #expect(throws: TimeoutError.self) { try await task.value }
  }
}
