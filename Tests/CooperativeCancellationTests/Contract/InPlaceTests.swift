import CooperativeCancellation
import CooperativeCancellationTesting
import Dispatch
import FakeCallbackSDK
import Testing

/// A serial queue as an executor, so that a closure can tell whether it runs there.
private final class QueueExecutor: SerialExecutor {
  private static let key = DispatchSpecificKey<ObjectIdentifier>()
  private let queue = DispatchQueue(label: "QueueExecutor")

  init() {
    queue.setSpecific(key: QueueExecutor.key, value: ObjectIdentifier(self))
  }

  var isCurrent: Bool {
    DispatchQueue.getSpecific(key: QueueExecutor.key) == ObjectIdentifier(self)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// The main actor's executor. (`Thread.isMainThread` does not tell: a test runner may give the main
/// thread back, and the queue is then served by others.)
private enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }
}

private actor QueueActor {
  let executor = QueueExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func run(_ form: BridgeForm, _ behavior: Behavior, _ watch: Watch) async -> Ending {
    await form.run(FakeSDK(behavior), watch)
  }
}

extension HandDrivenActor {
  fileprivate func run(_ form: BridgeForm, _ backend: Backend, _ watch: Watch) async -> Ending {
    await form.run(FakeSDK(backend), watch)
  }
}

/// One bridged call on an actor, on the test's thread.
private struct ActorCall: ~Copyable {
  let backend = Backend(.onDemand)
  let watch: Watch
  let actor = HandDrivenActor()
  /// Takes the place of the global pool.
  let pool = ManualExecutor()
  let task: Task<Void, Never>
  private let result = Protected<Ending?>(nil)

  init(_ form: BridgeForm, _ watch: Watch = Watch()) {
    self.watch = watch
    task = Task(executorPreference: pool) { [actor, backend, result] in
      let ending = await actor.run(form, backend, watch)
      result.withLock { $0 = ending }
    }
  }

  var ending: Ending? { result.withLock { $0 } }

  var isIdle: Bool { pool.isIdle && actor.executor.isIdle }

  /// Runs the task until it has ended or sleeps.
  func run() {
    while !isIdle {
      pool.runUntilIdle()
      actor.executor.runUntilIdle()
    }
  }
}

@Suite("G9 in place, G10 no extra demands", .watchdog)
struct InPlaceTests {
  @Test(arguments: BridgeForm.all)
  func `an answer inside operation costs no suspension`(form: BridgeForm) {
    let call = TestCall(form, .insideTheCall)
    call.run()
    #expect(call.ending == form.delivered)
    #expect(call.executor.jobCount == 1)
  }

  @Test(arguments: BridgeForm.all)
  func `a task on an actor sleeps without leaving it`(form: BridgeForm) {
    let call = ActorCall(form)
    call.pool.runUntilIdle()
    call.actor.executor.runUntilIdle()
    #expect(call.watch.events == [.operation])
    #expect(call.pool.isIdle, "it sleeps where it was")
    call.backend.answer()
    call.run()
    #expect(call.ending == form.delivered)
  }

  @Test(arguments: BridgeForm.checking, CancellationResponse.allCases)
  func `a cancellation or a timeout on an actor works as it does elsewhere`(
    form: BridgeForm,
    response: CancellationResponse
  ) async throws {
    for cause in [Interruption.cancelled, .timedOut] {
      let clock = ManualClock()
      let watch = Watch(response: response, timeout: Timeout(.seconds(5), clock: clock))
      let call = ActorCall(form, watch)
      call.run()
      try await clock.waitForSleeper(within: .watchdog)
      switch cause {
      case .cancelled: call.task.cancel()
      case .timedOut: clock.advance(by: .seconds(5))
      }
      while call.isIdle { await Task.yield() }
      call.run()
      let interrupted = cause == .cancelled ? form.cancelled : form.timedOut(watch)
      #expect(watch.events == [.operation, .onCancel])
      #expect(call.ending == (response == .abandonCallback ? interrupted : nil))
      call.backend.answer()
      call.run()
      #expect(call.ending == (response == .deliverResult ? form.delivered : interrupted))
      // The timer has been stopped.
      try await clock.waitForWakeUp(within: .watchdog)
      #expect(clock.sleeperCount == 0)
    }
  }

  @Test(arguments: BridgeForm.all)
  func `operation runs before anything suspends`(form: BridgeForm) {
    let call = TestCall(form, .onDemand)
    let executor = call.executor
    let jobsBefore = executor.jobCount
    call.run()
    #expect(call.watch.events == [.operation])
    #expect(executor.jobCount == jobsBefore)
    call.backend.answer()
    call.run()
  }

  @Test(arguments: BridgeForm.all)
  func `operation and onCancel run on the calling actor`(form: BridgeForm) async {
    let actor = QueueActor()
    let inOperation = Protected<[Bool]>([])
    let inOnCancel = Protected<[Bool]>([])
    let isWaiting = Signal()
    let watch = Watch(
      beforeSDK: { inOperation.withLock { $0.append(actor.executor.isCurrent) } },
      afterSDK: { isWaiting.fire() },
      inOnCancel: { inOnCancel.withLock { $0.append(actor.executor.isCurrent) } }
    )
    let task = Task { await actor.run(form, .confirmingCancellation, watch) }
    await isWaiting.wait()
    task.cancel()
    _ = await task.value
    #expect(inOperation.withLock { $0 } == [true])
    #expect(inOnCancel.withLock { $0 } == [true])
  }

  @Test(arguments: BridgeForm.all)
  @MainActor
  func `operation and onCancel run on the main actor`(form: BridgeForm) async {
    let inOperation = Protected<[Bool]>([])
    let inOnCancel = Protected<[Bool]>([])
    let isWaiting = Signal()
    let watch = Watch(
      beforeSDK: { inOperation.withLock { $0.append(MainQueue.isCurrent) } },
      afterSDK: { isWaiting.fire() },
      inOnCancel: { inOnCancel.withLock { $0.append(MainQueue.isCurrent) } }
    )
    let task = Task { @MainActor in await form.run(FakeSDK(.confirmingCancellation), watch) }
    await isWaiting.wait()
    task.cancel()
    _ = await task.value
    #expect(inOperation.withLock { $0 } == [true])
    #expect(inOnCancel.withLock { $0 } == [true])
  }

  @Test @MainActor
  func `a value that is not Sendable belongs to the caller afterwards`() async throws {
    let sdk = FakeSDK(.later)
    let session = try await withAsyncThrowingValue { sdk.openSession($0) }
    session.isOpen = false
    let isOpen = await Task.detached { [session = consume session] in session.isOpen }.value
    #expect(!isOpen)
  }
}
