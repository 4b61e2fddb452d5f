/// What the waiting task and those who may wake it share.
///
/// The lock around a ``WaitMachine`` and the continuation of the sleeping task. The continuation is
/// resumed after unlocking: resumed under a lock that the runtime's cancellation handler also takes, it
/// deadlocks.
@usableFromInline
package struct Wait: Sendable {
  fileprivate struct State: ~Copyable, Sendable {
    var machine: WaitMachine
    var sleeper: Sleeper?
  }

  private let state: Storage

  @usableFromInline
  package init(response: CancellationResponse) {
    state = Storage(initially: State(machine: WaitMachine(response: response)))
  }

  /// Which of all waits it is.
  package var id: UInt { state.id }

  /// The SDK called or dropped its completion. Returns whether that counts; an answer that does not is the
  /// caller's to discard.
  @usableFromInline
  package func hear(_ word: WaitMachine.LastWord) -> Bool {
    wakeSleeper { $0.hear(word) }
  }

  /// The SDK dropped its completion. Returns whether that is what the task is told, rather than of a cancel or a
  /// timeout that came before.
  @usableFromInline
  func hearDrop() -> Bool {
    var tells = false
    _ = wakeSleeper { machine in
      tells = machine.tellsOfDrop
      return machine.hear(.dropped)
    }
    return tells
  }

  /// The task was cancelled or its time is up. Called from the runtime's cancellation handler, which
  /// runs under a lock of the runtime's: nothing here but a state change and a resumption.
  func interrupt(_ cause: Interruption) {
    _ = wakeSleeper { $0.interrupt(cause) }
  }

  /// Tells the machine what happened, and wakes the task if that counts.
  private func wakeSleeper(_ happened: (inout WaitMachine) -> Bool) -> Bool {
    var sleeper: Sleeper?
    let counts = state.locked { state in
      guard happened(&state.machine) else { return false }
      sleeper = state.sleeper.take()
      return true
    }
    sleeper?.wake()
    return counts
  }

  /// Keeps the continuation of a task that is going to sleep, unless there is an event to read.
  private func sleep(_ continuation: CheckedContinuation<Void, Never>) {
    let maySleep = state.locked { state in
      guard state.machine.hasNoEvent else { return false }
      state.sleeper = Sleeper(continuation)
      return true
    }
    if !maySleep { continuation.resume() }
  }

  /// Sleeps until the wait has ended, and forwards a cancel or a timeout as soon as it comes.
  @inlinable
  @inline(__always)
  nonisolated(nonsending) func end(
    by deadline: Deadline?,
    onInterruption forward: () -> Void
  ) async -> WaitMachine.End {
    let actor = #isolation
    return if actor == nil {
      await endAnywhere(by: deadline, onInterruption: forward)
    } else {
      await endOnActor(by: deadline, onInterruption: forward)
    }
  }

  /// The same on the caller's actor. The first closure belongs to that because it captures it: otherwise the task
  /// would leave the actor to sleep, for a thread of the global pool.
  @usableFromInline
  func endOnActor(
    by deadline: Deadline?,
    isolation: isolated (any Actor)? = #isolation,
    onInterruption forward: () -> Void
  ) async -> WaitMachine.End {
    let timer = deadline.map { Timer(self, until: $0) }
    defer { timer?.stop(self) }
    while true {
      await withTaskCancellationHandler {
        _ = isolation
        return await withCheckedContinuation { sleep($0) }
      } onCancel: {
        interrupt(.cancelled)
      }
      if let end = readEvents(onInterruption: forward) { return end }
    }
  }

  /// The same without an actor. The other one would do, but there a task that sleeps takes 1 kB more.
  @usableFromInline
  nonisolated(nonsending) func endAnywhere(
    by deadline: Deadline?,
    onInterruption forward: () -> Void
  ) async -> WaitMachine.End {
    let timer = deadline.map { Timer(self, until: $0) }
    defer { timer?.stop(self) }
    while true {
      await withTaskCancellationHandler {
        await withCheckedContinuation { sleep($0) }
      } onCancel: {
        interrupt(.cancelled)
      }
      if let end = readEvents(onInterruption: forward) { return end }
    }
  }

  /// Returns how the wait has ended, or `nil`: then the task may sleep again.
  private func readEvents(onInterruption forward: () -> Void) -> WaitMachine.End? {
    while let event = state.locked({ $0.machine.next() }) {
      switch event {
      case .interrupted: forward()
      case .ended(let end): return end
      }
    }
    return nil
  }
}

extension Wait {
  // One object, which has the lock in it.
  #if !LOCK_BUFFER && !canImport(Darwin)
    private final class Storage: Sendable {
      private let state: Locked<State>

      init(initially state: consuming State) {
        self.state = Locked(initially: state)
      }

      var id: UInt { UInt(bitPattern: ObjectIdentifier(self)) }

      @inline(__always)
      func locked<Result>(_ body: (inout sending State) -> sending Result) -> sending Result {
        state.locked(body)
      }
    }
  #else
    private typealias Storage = Locked<State>
  #endif
}
