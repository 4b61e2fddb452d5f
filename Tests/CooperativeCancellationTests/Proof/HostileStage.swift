import CooperativeCancellation
import FakeCallbackSDK
import Synchronization
import Testing

/// Where a hostile scenario is played with one bridge: a task, on the test's thread, and an SDK.
///
/// ``end()`` checks the contract after every scenario.
final class HostileStage: Sendable {
  /// One call through the bridge, which a task may make as often as it likes.
  typealias Call = @Sendable () async -> Void

  private struct Play {
    let backend: Backend
    let watch: Watch
    let executor: ManualExecutor
    let task: Task<Void, Never>
  }

  /// The results of the calls.
  private final class Tally: Sendable {
    let begun = Atomic(0)
    let endings = Protected<[Ending]>([])

    var isWaiting: Bool { endings.withLock { $0.count } < begun.load(ordering: .acquiring) }
  }

  let form: BridgeForm
  private let tally = Tally()
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
    let task = Task(executorPreference: executor) { [form, tally] in
      await body {
        tally.begun.add(1, ordering: .relaxed)
        let ending = await form.run(FakeSDK(backend), watch)
        tally.endings.withLock { $0.append(ending) }
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

  /// Whether a call has begun and not ended.
  var isWaiting: Bool { tally.isWaiting }

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

  /// Ends the calls that are still waiting, checks the contract for all of them, and returns what happened.
  func end() async -> HostileOutcome {
    run()
    let waitedOn = isWaiting
    if waitedOn {
      backend.answer()
      run()
    }
    #expect(!isWaiting, "\(form.testDescription): a call does not end though the SDK has answered")
    checkValues()
    let outcome = outcome(waitedOn)
    await checkRelease()
    return outcome
  }

  private func checkValues() {
    let watch = current.watch
    let endings = tally.endings.withLock { $0 }
    if form.carriesValue {
      let delivered = endings.count { $0 == form.delivered }
      #expect(
        backend.valuesMade == delivered * form.valuesPerAnswer + watch.valuesDiscarded,
        "\(form.testDescription): delivered + discarded = produced"
      )
    }
    #expect(backend.requestsCancelledAgain == 0, "\(form.testDescription): onCancel at most once")
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

extension HostileStage {
  private func outcome(_ waitedOn: Bool) -> HostileOutcome {
    let watch = current.watch
    return HostileOutcome(
      endings: tally.endings.withLock { $0 }.map(name),
      waitedOn: waitedOn,
      forwarded: watch.forwarded,
      discarded: watch.discarded,
      reports: watch.reports.count
    )
  }

  private func name(_ ending: Ending) -> String {
    switch ending {
    case form.delivered: form.carriesValue ? "the value" : "returns"
    case .cancelled: "`CancellationError`"
    case .fallback: "the fallback"
    default: "\(ending)"
    }
  }
}
