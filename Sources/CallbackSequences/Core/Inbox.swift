public import CancellationInternals
public import CooperativeCancellation

/// What the SDK's threads and the reader of one subscription share: the lock around an
/// ``InboxMachine`` and the continuations of sleeping readers. They are resumed, and elements
/// discarded and released, after unlocking.
@usableFromInline package final class Inbox<Element: Sendable>: Sendable {
  @usableFromInline struct State: ~Copyable, Sendable {
    @usableFromInline var machine: InboxMachine<Element>
    @usableFromInline var sleeper: SleepingTask?
    /// Copies of one iterator may be read at the same time. Their readers queue here, behind the
    /// first.
    @usableFromInline var moreSleepers = ElementBuffer<any ErasedContinuation>()

    @_alwaysEmitIntoClient
    init(_ policy: BufferingPolicy) { machine = InboxMachine(policy) }

    @_alwaysEmitIntoClient
    mutating func addSleeper(_ continuation: any ErasedContinuation) {
      if sleeper == nil {
        sleeper = SleepingTask(continuation)
      } else {
        moreSleepers.append(continuation, capacity: .max)
      }
    }

    @_alwaysEmitIntoClient
    mutating func nextSleeper() -> SleepingTask? {
      let first = sleeper.take()
      if let next = moreSleepers.popFirst() { sleeper = SleepingTask(next) }
      return first
    }
  }

  @usableFromInline let discard: (@Sendable (Element) -> Void)?
  /// Set if all readers of a shared sequence receive what this registration yields.
  @usableFromInline let target: Hub<Element>.Target?
  @usableFromInline let callSite: CallSite
  @usableFromInline let state: Locked<State>

  @_alwaysEmitIntoClient
  package init(
    _ policy: BufferingPolicy,
    onDiscard discard: (@Sendable (Element) -> Void)?,
    to target: Hub<Element>.Target? = nil,
    at callSite: CallSite = CallSite()
  ) {
    self.callSite = callSite
    self.discard = discard
    self.target = target
    state = Locked(initially: State(policy))
  }

  /// The SDK yielded an element, on any thread. Returns whether the subscription continues.
  @_alwaysEmitIntoClient
  package func yield(_ element: Element) -> Bool {
    if let target { return target.hub.yield(element, target.registration) }
    var sleeper: SleepingTask?
    let yielded = add(element, &sleeper)
    sleeper?.wake()
    if let discard, let surplus = yielded.surplus { discard(surplus) }
    return yielded.isOpen
  }

  /// Delivers an element that others receive too, under a lock: `afterwards` collects whom to wake
  /// and what to release.
  @_alwaysEmitIntoClient
  func deliver(_ element: Element, _ afterwards: inout Hub<Element>.Afterwards) -> Bool {
    if let target { return target.hub.deliver(element, target.registration, &afterwards) }
    var sleeper: SleepingTask?
    let yielded = add(element, &sleeper)
    if let sleeper = sleeper.take() { afterwards.wake.append(sleeper.continuation) }
    if let surplus = yielded.surplus { afterwards.release.append(surplus) }
    return yielded.isOpen
  }

  @_alwaysEmitIntoClient
  @inline(__always)
  func add(_ element: Element, _ sleeper: inout SleepingTask?) -> InboxMachine<Element>.Yielded {
    state.extract { state in
      let yielded = state.machine.yield(element)
      sleeper = state.nextSleeper()
      return yielded
    }
  }

  /// The SDK finished, failed, or released its callback, on any thread.
  @_alwaysEmitIntoClient
  func end(_ end: SubscriptionEnd) {
    if let target { return target.hub.end(end, target.registration) }
    wakeAll { $0.end(end) }
  }

  /// The reader's task was cancelled. Runs under the runtime's lock, so it only changes the state
  /// and resumes readers.
  @_alwaysEmitIntoClient
  package func cancel() { wakeAll { $0.cancel() } }

  /// Tells the machine what happened, and wakes all readers if that changed the state.
  @_alwaysEmitIntoClient
  func wakeAll(_ happened: (inout InboxMachine<Element>) -> Bool) {
    var sleeper: SleepingTask?
    var moreSleepers = ElementBuffer<any ErasedContinuation>()
    state.locked { state in
      guard happened(&state.machine) else { return }
      sleeper = state.sleeper.take()
      swap(&moreSleepers, &state.moreSleepers)
    }
    sleeper?.wake()
    while let next = moreSleepers.popFirst() { next.resume() }
  }

  /// Whether the subscription may begin: no reader was cancelled.
  var isOpen: Bool { state.locked { $0.machine.hasNothing } }

  /// How far along a reader is. Returns `.waiting` if the lock is held and this must not block.
  @usableFromInline func progress(mayBlock: Bool) -> WaitingCall.State {
    state.locked(mayBlock: mayBlock) { $0.machine.hasNothing } ?? true ? .waiting : .over
  }

  @_alwaysEmitIntoClient
  package func take() -> Element? { state.locked { $0.machine.take() } }

  /// Returns what there is to read, and discards what is not delivered.
  @_alwaysEmitIntoClient
  func next() -> InboxMachine<Element>.Found {
    let found = state.extract { $0.machine.next() }
    if case .cancelled(let unread) = found { discardAll(unread) }
    return found
  }

  /// Keeps the continuation of a task that goes to sleep, unless there is something to read.
  @_alwaysEmitIntoClient
  package func keep(_ continuation: any ErasedContinuation) {
    let maySleep = state.locked { state in
      guard state.machine.hasNothing else { return false }
      state.addSleeper(continuation)
      return true
    }
    if !maySleep { continuation.resume() }
  }

  /// The reader is gone: discards the remaining elements and all later ones.
  @_alwaysEmitIntoClient
  func abandon() { discardAll(state.extract { $0.machine.abandon() }) }

  /// The registration threw: nothing is delivered, and other readers wake.
  @usableFromInline func registrationThrew(_ error: any Error) {
    target?.hub.registrationThrew(error)
    abandon()
    wakeAll { _ in true }
  }

  @_alwaysEmitIntoClient
  func discardAll(_ unread: InboxMachine<Element>.Unread) {
    guard let discard else { return }
    var elements = unread.elements
    while let element = elements.popFirst() { discard(element) }
  }

  /// Records a reader that is about to sleep, if calls are recorded.
  @_alwaysEmitIntoClient
  @inline(__always)
  func recordReader() -> Recorder.Place {
    if !Recorder.isOn { return .none }
    return Recorder.add(.element, callSite) { self.progress(mayBlock: $0) }
  }
}
