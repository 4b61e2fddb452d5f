import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// Where a hostile SDK is tested with one bridge: a task, on the test's thread, and that SDK.
final class HostileStage: Sendable {
  /// One call through the bridge, which a task may make as often as it likes.
  typealias Call = @Sendable () async -> Void

  private struct Play {
    let backend: Backend
    let watch: Watch
    let executor: ManualExecutor
    let task: Task<Void, Never>
  }

  let form: BridgeForm
  private let endings = Protected<[Ending]>([])
  private let play = Protected<Play?>(nil)

  init(_ form: BridgeForm) {
    self.form = form
  }

  /// Starts a task that makes one call, or runs `body`, and runs it until it sleeps.
  func begin(
    _ behavior: Behavior = .onDemand,
    _ watch: Watch = Watch(),
    _ body: @escaping @Sendable (_ call: @escaping Call) async -> Void = { call in await call() }
  ) {
    let backend = Backend(behavior)
    let executor = ManualExecutor()
    let task = Task(executorPreference: executor) { [form, endings] in
      await body {
        let ending = await form.run(FakeSDK(backend), watch)
        endings.withLock { $0.append(ending) }
      }
    }
    play.withLock {
      $0 = Play(backend: backend, watch: watch, executor: executor, task: task)
    }
    run()
  }

  private var current: Play {
    guard let play = play.withLock({ $0 }) else { preconditionFailure("nothing has begun") }
    return play
  }

  var backend: Backend { current.backend }

  /// Whether a call of the SDK has not ended.
  var isWaiting: Bool { endings.withLock { $0.count } < backend.counts.started }

  /// Runs the task until it sleeps or has ended.
  func run() {
    current.executor.runUntilIdle()
  }

  /// From now on the task goes on in the middle of what wakes it: inside the SDK's callback.
  func runInsideCallbacks() {
    let executor = current.executor
    executor.onEnqueue { executor.runUntilIdle() }
  }

  func cancel() {
    current.task.cancel()
  }

  /// Ends the calls, and checks that they ended so, the contract, and that nothing is left.
  ///
  /// - Parameters:
  ///   - afterAnotherAnswer: Whether a call is still waiting, and ends when the SDK answers once more.
  ///   - discarded: Of the forms that carry a value.
  ///   - reports: Of the forms that report a second answer.
  func ends(
    _ endings: [Ending],
    afterAnotherAnswer: Bool = false,
    forwarded: Int = 0,
    discarded: Int = 0,
    reports: Int = 0
  ) async {
    run()
    #expect(isWaiting == afterAnotherAnswer)
    if isWaiting {
      backend.answer()
      run()
    }
    check(endings, forwarded, discarded, reports)
    await checkRelease()
  }

  /// The calls end as cancelled ones do, after so many that got their values: forwarded, their values discarded. Those
  /// that ignore a cancellation get their values, too.
  func endsCancelled(_ count: Int = 1, after delivered: Int = 0) async {
    let isCancelled = form.kind != .unconditional
    let endings =
      Array(repeating: form.delivered, count: delivered)
      + Array(repeating: isCancelled ? form.cancelled : form.delivered, count: count)
    let cancelled = isCancelled ? count : 0
    await ends(endings, forwarded: cancelled, discarded: cancelled)
  }

  private func check(_ expected: [Ending], _ forwarded: Int, _ discarded: Int, _ reports: Int) {
    let watch = current.watch
    let endings = endings.withLock { $0 }
    #expect(endings == expected)
    #expect(watch.forwarded == forwarded)
    #expect(watch.discarded == (form.carriesValue ? discarded : 0))
    #expect(watch.reports == form.reports(again: reports))
    if form.carriesValue {
      let delivered = endings.count { $0 == form.delivered }
      #expect(
        backend.valuesMade == delivered * form.valuesPerAnswer + watch.valuesDiscarded,
        "delivered + discarded = produced"
      )
    }
    #expect(backend.requestsCancelledAgain == 0, "onCancel at most once")
    #expect(watch.forwarded == backend.counts.cancelled)
    #expect(backend.counts.started == watch.events.count { $0 == .operation })
    #expect(WaitingCall.states(line: watch.line) == [])
  }

  /// When the SDK has released its objects too, nothing may be left.
  private func checkRelease() async {
    let backend = backend
    backend.hooks.withLock { $0 = Backend.Hooks() }
    backend.drop()
    run()
    current.executor.onEnqueue {}
    // What only the bridge's closures and the task keep now.
    weak var watch: Watch?
    weak var executor: ManualExecutor?
    (watch, executor) = (current.watch, current.executor)
    play.withLock { $0 = nil }
    // A thread that has answered releases its objects a moment later: values, requests, completions and services, the
    // bridge's closures, the task.
    while backend.objectsAlive > 0 || watch != nil || executor != nil { await Task.yield() }
  }
}
