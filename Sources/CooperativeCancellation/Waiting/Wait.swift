internal import CancellationInternals

/// What the waiting task shares with the threads that may wake it: the lock around a
/// ``WaitMachine`` and the continuation.
///
/// Resumes after unlocking. The runtime calls the cancellation handler under the lock of the task,
/// and `interrupt` takes this one below it; a resumption takes the task's lock. Resuming under this
/// lock could deadlock.
@usableFromInline package struct Wait: Sendable {
  struct State: ~Copyable, Sendable {
    var machine: WaitMachine
    var sleeper: SleepingTask?
  }

  /// Not generic, because Swift 6.3.1 does not specialize the code that releases a generic object.
  private final class Buffer: ManagedBuffer<PlatformLock, State> {
    deinit { destroy() }
  }

  let state: Locked<State>

  @usableFromInline package init(response: CancellationResponse) {
    state = Locked(State(machine: WaitMachine(response: response)), in: Buffer.self)
  }

  package var id: UInt { state.id }

  /// The SDK answered, or dropped its completion. Returns whether that counts, or else the caller
  /// keeps the answer; and whether it decides how the call ends, rather than an earlier
  /// cancellation or timeout.
  @usableFromInline
  package func receive(_ event: WaitMachine.FinalEvent) -> (counts: Bool, decides: Bool) {
    var decides = false
    let counts = wakeSleeper { machine in
      decides = machine.finalEventDecides
      return machine.receive(event)
    }
    return (counts, decides)
  }

  /// The same under a registry's lock, so nothing is woken. Returns whether the event counts: then
  /// the caller calls ``wake()`` after unlocking; and whether there was an interruption before,
  /// which the task forwards.
  @usableFromInline
  package func accept(_ event: WaitMachine.FinalEvent) -> (counts: Bool, isInterrupted: Bool) {
    state.locked { state in
      let counts = state.machine.receive(event)
      return (counts, state.machine.isInterrupted)
    }
  }

  /// For tests that try all orders of events, and restore states.
  package var machine: WaitMachine {
    get { state.locked { $0.machine } }
    nonmutating set { state.locked { $0.machine = newValue } }
  }

  /// Wakes the task if it sleeps: an event that ``accept(_:)`` has passed on under a lock counts.
  @usableFromInline package func wake() { _ = wakeSleeper { _ in true } }

  /// The task was cancelled, or the call timed out. Under the runtime's lock: only changes the
  /// state and resumes.
  @usableFromInline
  package func interrupt(_ cause: Interruption) { _ = wakeSleeper { $0.interrupt(cause) } }

  /// Passes an event to the machine, and wakes the task if the event counts.
  private func wakeSleeper(_ happened: (inout WaitMachine) -> Bool) -> Bool {
    var sleeper: SleepingTask?
    let counts = state.locked { state in
      guard happened(&state.machine) else { return false }
      sleeper = state.sleeper.take()
      return true
    }
    sleeper?.wake()
    return counts
  }

  /// The task is about to sleep. Keeps its continuation, unless there is something to read by now.
  @usableFromInline func keep(_ continuation: CheckedContinuation<Void, Never>) {
    let maySleep = state.locked { state in
      guard state.machine.hasNoEvent else { return false }
      state.sleeper = SleepingTask(continuation)
      return true
    }
    if !maySleep { continuation.resume() }
  }

  /// Sleeps until the wait ends, and forwards an interruption at once. Returns how the wait ended.
  /// The common one of two; the other is for an asynchronous `operation` of a pending call.
  ///
  /// Always inlined, as are its callers up to the public ones. Otherwise a sleeping task would keep
  /// their frames, and allocate another block of 984 bytes: the row *memory of a wait* of `Cost.md`
  /// would show that.
  @_alwaysEmitIntoClient
  @inline(__always)
  nonisolated(nonsending) package func sleepUntilEnd(
    _ kind: @autoclosure () -> WaitingCall.Kind,
    _ callSite: CallSite,
    by deadline: consuming Deadline?,
    onInterruption forward: () -> Void
  ) async -> WaitMachine.End {
    let place = Recorder.isOn ? Recorder.add(kind(), callSite, until: deadline, progress) : .none
    defer { place.leave() }
    let timer: WaitTimer? =
      if let deadline = consume deadline { timer(until: deadline) } else { nil }
    let actor = #isolation
    while true {
      // Returns at once if there is something to read by now.
      if actor == nil { await sleepAnywhere() } else { await sleepOnActor() }
      while let event = nextEvent() {
        switch event {
        case .interrupted:
          // Cancelled or timed out, and not ended yet. The SDK is told here, in the task and on the
          // caller's actor, because the runtime's handler runs under the lock of the task.
          forward()
        case .ended(let end):
          // Answered, dropped, or interrupted with a response that does not wait for the SDK. A
          // timer that rings now changes nothing, but would keep this wait until then.
          timer?.stop(self)
          return end
        }
      }
      // Interrupted and forwarded, but the response waits for the SDK's answer. In a cancelled
      // task, the runtime calls the handler again when it sleeps, and the machine ignores that.
    }
  }

  /// The same, where forwarding may suspend. `sleepUntilEnd` is the common one, whose frames are
  /// smaller.
  @_alwaysEmitIntoClient
  package func sleepUntilEndForwardingOnActor(
    _ kind: WaitingCall.Kind,
    _ callSite: CallSite,
    by deadline: Deadline?,
    isolation: isolated (any Actor)?,
    onInterruption forward: () async -> Void
  ) async -> WaitMachine.End {
    let place = Recorder.isOn ? Recorder.add(kind, callSite, until: deadline, progress) : .none
    defer { place.leave() }
    let timer: WaitTimer? = if let deadline { timer(until: deadline) } else { nil }
    while true {
      await sleepOnActor()
      while let event = nextEvent() {
        switch event {
        case .interrupted:
          // An answer may arrive meanwhile, and is read as the next event.
          await forward()
        case .ended(let end):
          timer?.stop(self)
          return end
        }
      }
    }
  }

  /// Sleeps on the caller's actor. The first closure captures it, because otherwise the task would
  /// go to the global pool.
  @_alwaysEmitIntoClient
  @inline(__always)
  func sleepOnActor(isolation: isolated (any Actor)? = #isolation) async {
    await withTaskCancellationHandler {
      _ = isolation
      return await withCheckedContinuation { keep($0) }
    } onCancel: {
      interrupt(.cancelled)
    }
  }

  /// Sleeps without an actor. `sleepOnActor` would also work, but a sleeping task would take more
  /// memory.
  @usableFromInline nonisolated(nonsending) package func sleepAnywhere() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { keep($0) }
    } onCancel: {
      interrupt(.cancelled)
    }
  }

  /// Starts a timer, unless there is an answer or a cancellation already, which a timeout must not
  /// overtake.
  @usableFromInline func timer(until deadline: consuming Deadline) -> WaitTimer? {
    if Task.isCancelled { interrupt(.cancelled) }
    return state.locked { $0.machine.hasNoEvent } ? WaitTimer(self, until: deadline) : nil
  }

  /// Returns the next event, or `nil` if the task may sleep again.
  @usableFromInline func nextEvent() -> WaitMachine.Event? { state.locked { $0.machine.next() } }

  /// How far along the call is. Returns `.waiting` if the lock is held and this must not block.
  @usableFromInline func progress(mayBlock: Bool) -> WaitingCall.State {
    state.locked(mayBlock: mayBlock) { $0.machine.progress } ?? .waiting
  }
}
