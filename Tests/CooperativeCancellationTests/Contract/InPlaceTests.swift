import CooperativeCancellation
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

@Suite("In place, and no extra demands", .watchdog)
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
    let actor = HandDrivenActor()
    let call = TestCall(form, .onDemand, on: actor)
    call.executor.runUntilIdle()
    actor.executor.runUntilIdle()
    #expect(call.watch.events == [.operation])
    #expect(call.executor.isIdle, "it sleeps where it was")
    call.backend.answer()
    call.run()
    #expect(call.ending == form.delivered)
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

  /// Where the closures of a cancelled call run.
  private func check(
    _ isInPlace: @escaping @Sendable () -> Bool,
    _ run: @escaping @Sendable (Watch) async -> Ending
  ) async {
    let places = Protected<[Bool]>([])
    let look: @Sendable () -> Void = { places.withLock { $0.append(isInPlace()) } }
    let isWaiting = Signal()
    let watch = Watch(beforeSDK: look, afterSDK: { isWaiting.fire() }, inOnCancel: look)
    let task = Task { await run(watch) }
    await isWaiting.wait()
    task.cancel()
    _ = await task.value
    #expect(watch.events.prefix(2) == [.operation, .onCancel])
    #expect(places.withLock { $0 } == [true, true])
  }

  @Test(arguments: BridgeForm.cancellable)
  func `operation and onCancel run on the calling actor`(form: BridgeForm) async {
    let actor = QueueActor()
    await check({ actor.executor.isCurrent }) {
      await actor.run(form, .confirmingCancellation, $0)
    }
  }

  @Test(arguments: BridgeForm.cancellable)
  func `operation and onCancel run on the main actor`(form: BridgeForm) async {
    await check({ MainQueue.isCurrent }) { @MainActor in
      await form.run(FakeSDK(.confirmingCancellation), $0)
    }
  }

  @Test(arguments: BridgeForm.unconditional)
  func `operation runs on the calling actor, and on the main actor`(form: BridgeForm) async {
    let (actor, places) = (QueueActor(), Protected<[Bool]>([]))
    _ = await actor.run(
      form,
      .later,
      Watch(beforeSDK: { places.withLock { $0.append(actor.executor.isCurrent) } })
    )
    await Task { @MainActor in
      let watch = Watch(beforeSDK: { places.withLock { $0.append(MainQueue.isCurrent) } })
      _ = await form.run(FakeSDK(.later), watch)
    }.value
    #expect(places.withLock { $0 } == [true, true])
  }

  @Test @MainActor
  func `a value that is not Sendable belongs to the caller afterwards`() async throws {
    let sdk = FakeSDK(.later)
    let session = try await withCancellableThrowingContinuation { continuation in
      sdk.openSession { continuation.resume(with: $0) }
    }
    session.isOpen = false
    let isOpen = await Task.detached { [session = consume session] in session.isOpen }.value
    #expect(!isOpen)
  }
}
