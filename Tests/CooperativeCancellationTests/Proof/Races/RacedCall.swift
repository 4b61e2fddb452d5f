import CooperativeCancellation
import FakeCallbackSDK
import Synchronization
import TaskBags

/// One race: a call in a task of a bag, and what two threads do to it from the same moment on.
final class RacedCall: Sendable {
  enum Side: Int, Sendable {
    /// The thread that runs the task.
    case task
    case other
  }

  /// Where the task is when the others begin.
  enum Meeting: CaseIterable, Sendable {
    case beforeTheCall
    case insideTheCall
    case asleep
  }

  /// Which thread waits for the other. On a busy machine, a thread may be without a core for longer
  /// than all pauses together; then some outcomes would almost never occur by chance.
  enum Order: CaseIterable, Sendable {
    case free
    /// The task's thread begins when the task has been woken: by the other thread, or by the timer.
    case wokenByOther
    /// The other thread goes on after each event, if that ends the call, when the call has ended.
    case endsBetween
  }

  let meeting: Meeting
  let watch: Watch
  /// It answers while it holds the lock that its `cancel()` takes, as many do in C and Objective-C.
  let backend = Backend(.onDemandUnderItsLock)
  private let order: Order
  private let race: Race
  private let scripts: [[Race.Event]]
  /// Of each thread, before each event.
  private let pauses: [Pause]
  private let firstGoesAhead: Bool
  private let bag = Protected<TaskBag?>(TaskBag())

  private let arrived = Atomic(0)
  private let otherIsDone = Atomic(false)
  private let forwardedWhenItEnded = Atomic(0)
  private let endings = Protected<[Ending]>([])

  init(_ race: Race, _ random: inout some RandomNumberGenerator) {
    self.race = race
    let timeIsUp = Protected<@Sendable () -> Void>({})
    let clock = OddClock { timeIsUp.withLock { $0 }() }
    watch = Watch(
      response: race.response,
      timeout: race.hasTimeout ? Timeout(.seconds(1), clock: clock) : nil
    )
    // The timer is made after the call.
    meeting = race.hasTimeout ? .asleep : Meeting.allCases.randomElement(using: &random) ?? .asleep
    // Here, any event ends a call with a timeout. Calls without one are raced so often that chance
    // is enough.
    order = race.hasTimeout ? Order.allCases.randomElement(using: &random) ?? .free : .free
    let events = race.events.filter { $0 != .timeOut }.shuffled(using: &random)
    // The task itself takes part, even if its thread does nothing else.
    let most = race.hasTimeout ? events.count : events.count - 1
    let count = Int.random(in: 0...most, using: &random)
    scripts = [Array(events.prefix(count)), Array(events.dropFirst(count))]
    firstGoesAhead = Bool.random(using: &random)
    pauses = [Pause(using: &random), Pause(using: &random)]
    timeIsUp.withLock { $0 = { [weak self] in self?.play(.other) } }
    backend.hooks.withLock {
      $0.whenCalled = { [weak self] in
        if let self, meeting == .insideTheCall { play(.task) }
      }
    }
  }

  var hasEnded: Bool { endings.withLock { !$0.isEmpty } }
  var isOtherDone: Bool { otherIsDone.load(ordering: .acquiring) }

  /// Puts the task into the bag. It begins when the actor's jobs are run.
  func start(on actor: HandDrivenActor) {
    actor.assumeIsolated { actor in
      _ = bag.withLock { $0 }?.add(id: watch.line) {
        // Part of what a bridge does when it sleeps runs off the caller's actor.
        await withTaskExecutorPreference(actor.executor) { await self.run() }
      }
    }
  }

  /// Waits for the other thread, and plays this thread's part.
  ///
  /// - Parameter taskIsReady: Whether the task has been woken.
  func play(_ side: Side, taskIsReady: () -> Bool = { true }) {
    meet()
    if side == .task, order == .wokenByOther { spin(until: taskIsReady) }
    for event in scripts[side.rawValue] {
      pauses[side.rawValue].pass()
      play(event)
      let mayEndIt = event != .cancel || race.response.heeds
      if side == .other, order == .endsBetween, mayEndIt { spin { hasEnded } }
    }
    if side == .other { otherIsDone.store(true, ordering: .releasing) }
  }

  /// On a busy machine, one thread goes on while the other has no core: sometimes the first,
  /// sometimes the second.
  private func meet() {
    if arrived.add(1, ordering: .acquiringAndReleasing).newValue == 1 {
      spin { arrived.load(ordering: .acquiring) == 2 }
      arrived.add(1, ordering: .acquiringAndReleasing)
    } else if firstGoesAhead {
      spin { arrived.load(ordering: .acquiring) == 3 }
    }
  }

  private func play(_ event: Race.Event) {
    switch event {
    case .answer: backend.answer()
    case .drop: backend.drop()
    case .cancel: _ = bag.withLock { $0 }?.cancel(id: watch.line)
    case .release: release()
    case .timeOut: break
    }
  }

  private func release() {
    let released = bag.withLock { $0.take() }
    _ = released  // Released here, after unlocking.
  }

  /// Ends the call, whatever it still waits for, and releases the SDK's and the owner's objects.
  func finish(_ actor: HandDrivenActor) {
    actor.executor.runUntilIdle()
    if !hasEnded {
      backend.answer()
      actor.executor.runUntilIdle()
    }
    backend.drop()
    release()
    // The thread that decided may not have woken the task yet: it is between two steps.
    spin {
      actor.executor.runUntilIdle()
      return hasEnded
    }
  }

  private func run() async {
    if meeting == .beforeTheCall { play(.task) }
    let ending = await race.form.run(FakeSDK(backend), watch)
    forwardedWhenItEnded.store(watch.forwarded, ordering: .relaxed)
    endings.withLock { $0.append(ending) }
  }
}

extension RacedCall: CustomStringConvertible {
  /// The outcome, once it is over.
  var outcome: Race.Outcome? {
    let wasForwarded = watch.forwarded > 0
    switch endings.withLock({ $0.first }) {
    case race.form.delivered: return wasForwarded ? .deliveredAfterCancellation : .delivered
    case race.form.cancelled where backend.counts.started == 0: return .notStarted
    case race.form.cancelled: return .cancelled
    case .timedOut: return .timedOut
    case .dropped: return .dropped
    default: return nil
    }
  }

  /// A guarantee of the contract that the race has broken, once it is over.
  var brokenGuarantee: String? {
    let ending = endings.withLock { $0 }
    let (produced, forwarded) = (backend.valuesMade, watch.forwarded)
    guard ending.count == 1, let outcome else { return "the call ends once" }
    guard race.outcomes.contains(outcome) else { return "no other outcome is possible" }
    let isDelivered = outcome == .delivered || outcome == .deliveredAfterCancellation
    if produced != watch.discarded + (isDelivered ? 1 : 0) {
      return "delivered + discarded = produced"
    }
    if forwarded > 1 { return "onCancel runs at most once" }
    if forwarded != forwardedWhenItEnded.load(ordering: .relaxed) {
      return "onCancel does not run after the call has ended"
    }
    if backend.counts.cancelled != forwarded { return "each request is cancelled by onCancel" }
    if outcome == .cancelled || outcome == .timedOut, forwarded != 1 {
      return "what ends a call that was made is forwarded"
    }
    let reports = Reports.shared.take(line: watch.line)
    if reports != Array(repeating: .completionCalledAgain, count: max(0, produced - 1)) {
      return "each call of the completion but the first is reported, and nothing else"
    }
    return nil
  }

  var description: String {
    """
    \(race.testDescription), meeting \(meeting), order \(order), the task's thread \(scripts[0]), the other \
    \(scripts[1]); endings \(endings.withLock { $0 }), produced \(backend.valuesMade), \
    \(watch.events), misuse \(watch.reports)
    """
  }
}
