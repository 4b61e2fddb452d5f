public import Synchronization

/// What the waiting task and those who may wake it share.
///
/// The lock around a ``WaitMachine`` and the continuation of the sleeping task. The continuation is
/// resumed after unlocking: resumed under a lock that the runtime's cancellation handler also takes, it
/// deadlocks.
@usableFromInline
package struct Wait<Answer: Sendable>: ~Copyable, SharedContents {
  @usableFromInline
  struct State: Sendable {
    @usableFromInline var machine: WaitMachine<Answer>
    @usableFromInline var sleeper: CheckedContinuation<Void, Never>?

    @inlinable
    init(machine: WaitMachine<Answer>) {
      self.machine = machine
    }
  }

  @usableFromInline let state: Locked<State>

  @inlinable
  package init(response: CancellationResponse) {
    state = Locked(State(machine: WaitMachine(response: response)))
  }

  /// The SDK answered. Returns whether the answer counts; one that does not is the caller's to discard.
  @inlinable
  func answer(_ answer: Answer) -> Bool {
    wakeSleeper { $0.answer(answer) }
  }

  /// The SDK dropped its completion.
  @inlinable
  func drop() {
    _ = wakeSleeper { $0.drop() }
  }

  /// The task was cancelled or its time is up. Called from the runtime's cancellation handler, which
  /// runs under a lock of the runtime's: nothing here but a state change and a resumption.
  @inlinable
  func interrupt(_ cause: Interruption) {
    _ = wakeSleeper { $0.interrupt(cause) }
  }

  /// Tells the machine what happened, and wakes the task if that counts.
  @inlinable
  func wakeSleeper(_ happened: (inout WaitMachine<Answer>) -> Bool) -> Bool {
    let (counts, sleeper) = state.withLock { state in
      happened(&state.machine) ? (true, state.sleeper.take()) : (false, nil)
    }
    sleeper?.resume()
    return counts
  }

  /// The next event, if there is one.
  @inlinable
  func next() -> WaitMachine<Answer>.Event? {
    state.withLock { $0.machine.next() }
  }

  /// Keeps the continuation of a task that is going to sleep, unless there is an event to read.
  @inlinable
  func sleep(_ continuation: CheckedContinuation<Void, Never>) {
    let maySleep = state.withLock { state in
      guard state.machine.hasNoEvent else { return false }
      state.sleeper = continuation
      return true
    }
    if !maySleep { continuation.resume() }
  }
}

extension Wait {
  @inlinable
  package func lastReferenceWasReleased() {}
}

extension Shared where Contents: ~Copyable {
  /// What happened next: the task sleeps until something did.
  @inlinable
  nonisolated(nonsending) func nextEvent<Answer>() async -> WaitMachine<Answer>.Event
  where Contents == Wait<Answer> {
    while true {
      if let event = contents.next() { return event }
      await withTaskCancellationHandler {
        await withCheckedContinuation { contents.sleep($0) }
      } onCancel: {
        contents.interrupt(.cancelled)
      }
    }
  }
}
