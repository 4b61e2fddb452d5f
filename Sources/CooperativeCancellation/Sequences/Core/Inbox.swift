/// The state that the SDK's threads and the reader of one subscription share.
///
/// It locks an ``InboxMachine`` and the continuations of sleeping readers. It resumes continuations, and
/// discards and releases elements, after unlocking.
@frozen
@usableFromInline
package struct Inbox<Element: Sendable>: ~Copyable, SharedContents {
  @frozen
  @usableFromInline
  struct State: ~Copyable, Sendable {
    @usableFromInline var machine: InboxMachine<Element>
    @usableFromInline var sleeper: SleepingTask?
    /// Copies of one iterator may be read at the same time. Their readers queue here, behind the first.
    @usableFromInline var moreSleepers = ElementBuffer<any ErasedContinuation>()

    @inlinable
    init(_ policy: BufferingPolicy) {
      machine = InboxMachine(policy)
    }

    @inlinable
    mutating func add(_ continuation: any ErasedContinuation) {
      if sleeper == nil {
        sleeper = SleepingTask(continuation)
      } else {
        moreSleepers.append(continuation, capacity: .max)
      }
    }

    @inlinable
    mutating func nextSleeper() -> SleepingTask? {
      let first = sleeper.take()
      if let next = moreSleepers.popFirst() { sleeper = SleepingTask(next) }
      return first
    }
  }

  @usableFromInline let discard: (@Sendable (Element) -> Void)?
  @usableFromInline let state: Locked<State>

  @inlinable
  package init(_ policy: BufferingPolicy, onDiscard discard: (@Sendable (Element) -> Void)?) {
    self.discard = discard
    state = Locked(initially: State(policy))
  }

  /// The SDK yielded an element, on any thread. Returns whether the subscription goes on.
  @inlinable
  package func yield(_ element: Element) -> Bool {
    var sleeper: SleepingTask?
    let yielded = state.extract { state in
      let yielded = state.machine.yield(element)
      sleeper = state.nextSleeper()
      return yielded
    }
    sleeper?.wake()
    if let discard, let surplus = yielded.surplus { discard(surplus) }
    return yielded.isOpen
  }

  /// The SDK finished, failed, or released its callback, on any thread.
  @inlinable
  func end(_ end: SubscriptionEnd) {
    wakeAll { $0.end(end) }
  }

  /// The reader's task was cancelled. The runtime's cancellation handler calls this under the runtime's lock,
  /// so it only changes the state and resumes readers.
  @inlinable
  package func cancel() {
    wakeAll { $0.cancel() }
  }

  /// Tells the machine what happened, and wakes all readers if that changed the state.
  @inlinable
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

  /// Takes an element if there is one.
  @inlinable
  package func take() -> Element? {
    state.locked { $0.machine.take() }
  }

  /// Returns what there is to read, and discards what is not delivered.
  @inlinable
  func next() -> InboxMachine<Element>.Found {
    let found = state.extract { $0.machine.next() }
    if case .cancelled(let unread) = found { discardAll(unread) }
    return found
  }

  /// Keeps the continuation of a task that goes to sleep, unless there is something to read.
  @inlinable
  package func sleep(_ continuation: any ErasedContinuation) {
    let maySleep = state.locked { state in
      guard state.machine.hasNothing else { return false }
      state.add(continuation)
      return true
    }
    if !maySleep { continuation.resume() }
  }

  /// The reader is gone: discards the remaining elements and all later ones.
  @inlinable
  func abandon() {
    discardAll(state.extract { $0.machine.abandon() })
  }

  /// The registration threw: nothing is delivered, and other readers wake.
  @usableFromInline
  func registrationThrew() {
    abandon()
    wakeAll { _ in true }
  }

  @inlinable
  func discardAll(_ unread: InboxMachine<Element>.Unread) {
    guard let discard else { return }
    var elements = unread.elements
    while let element = elements.popFirst() { discard(element) }
  }

  @inlinable
  package func lastReferenceWasReleased() {}
}
