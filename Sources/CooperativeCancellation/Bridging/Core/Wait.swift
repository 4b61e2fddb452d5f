/// The state that the waiting task shares with the threads that may wake it.
///
/// The lock around a ``WaitMachine`` and the continuation of the sleeping task. The continuation is resumed after
/// unlocking: resuming it under a lock that the runtime's cancellation handler also takes would deadlock.
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

  /// Identifies the wait.
  package var id: UInt { state.id }

  /// The SDK answered, or dropped its completion. Returns whether that counts; if not, the caller has the answer.
  @usableFromInline
  package func hear(_ word: WaitMachine.LastWord) -> Bool {
    wakeSleeper { $0.hear(word) }
  }

  /// The SDK dropped its completion. Returns whether the task learns of that, instead of an earlier cancellation or
  /// timeout.
  @usableFromInline
  func hearDrop() -> Bool {
    var tells = false
    _ = wakeSleeper { machine in
      tells = machine.tellsOfDrop
      return machine.hear(.dropped)
    }
    return tells
  }

  /// `operation` threw. Returns an earlier answer, to discard; a later one does not count.
  @usableFromInline
  func refuse() -> AnyReply? {
    state.extract { $0.machine.refuse() }
  }

  /// The task was cancelled, or the call timed out.
  ///
  /// The runtime's cancellation handler calls this under the runtime's lock, so it only changes the state and
  /// resumes the task.
  func interrupt(_ cause: Interruption) {
    _ = wakeSleeper { $0.interrupt(cause) }
  }

  /// Passes an event to the machine, and wakes the task if the event counts.
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

  /// Stores the continuation, or resumes it if there is an event to read.
  private func sleep(_ continuation: CheckedContinuation<Void, Never>) {
    let maySleep = state.locked { state in
      guard state.machine.hasNoEvent else { return false }
      state.sleeper = Sleeper(continuation)
      return true
    }
    if !maySleep { continuation.resume() }
  }

  /// Sleeps until the wait ends, and forwards a cancellation or timeout at once.
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

  /// Waits on the caller's actor. The first closure captures the actor and therefore runs on it. Otherwise, the task
  /// would switch to the global pool to sleep.
  @usableFromInline
  func endOnActor(
    by deadline: Deadline?,
    isolation: isolated (any Actor)? = #isolation,
    onInterruption forward: () -> Void
  ) async -> WaitMachine.End {
    let timer = timer(until: deadline)
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

  /// Waits without an actor. `endOnActor` would also work, but a sleeping task would take 1 kB more.
  @usableFromInline
  nonisolated(nonsending) func endAnywhere(
    by deadline: Deadline?,
    onInterruption forward: () -> Void
  ) async -> WaitMachine.End {
    let timer = timer(until: deadline)
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

  /// Starts a timer, unless the answer is already there.
  private func timer(until deadline: Deadline?) -> Timer? {
    guard let deadline, state.locked({ $0.machine.hasNoEvent }) else { return nil }
    return Timer(self, until: deadline)
  }

  /// Returns how the wait ended, or `nil` if the task may sleep again.
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
  // A single object that contains the lock.
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

      func extract<Result>(_ body: (inout sending State) -> sending Result) -> sending Result {
        state.extract(body)
      }
    }
  #else
    private typealias Storage = Locked<State>
  #endif
}
