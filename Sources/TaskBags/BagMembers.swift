internal import CancellationInternals
public import CooperativeCancellation

/// The lock around a ``BagMembersMachine``, shared by a bag and its tasks. Acts and releases after
/// unlocking.
@usableFromInline final class BagMembers: Sendable {
  /// A structure around the closure, for the reason given in `RuntimeIssue`.
  struct ErrorHandler: Sendable {
    let body: @Sendable (any Error, CallSite) -> Void
  }

  typealias Waiter = CancellableContinuation<Void, any Error>

  let registry = Locked(initially: BagMembersMachine<Waiter>())
  private let errorHandler: Locked<ErrorHandler>

  init(onError: @escaping @Sendable (any Error, CallSite) -> Void) {
    errorHandler = Locked(initially: ErrorHandler(body: onError))
  }

  var onError: @Sendable (any Error, CallSite) -> Void {
    get { errorHandler.locked { $0 }.body }
    set { _ = errorHandler.exchange(for: ErrorHandler(body: newValue)) }
  }

  // MARK: A task's life

  /// The place of a task, whether it begins among the `Departures`, and where one was added that
  /// must end before.
  @usableFromInline typealias Place = (slot: Int, travels: Bool, waitsFor: CallSite?)

  @usableFromInline func reserve(by route: BagRoute) -> Place? {
    registry.locked { $0.reserve(by: route) }.map { ($0.slot, $0.travels, nil) }
  }

  /// Reserves a slot for a task with an id, and cancels those that it replaces. One that has begun
  /// waits for none.
  @usableFromInline func reserve(
    _ id: BagID,
    ifTaken policy: TaskBag.TakenIDPolicy,
    hasBegun: Bool = false,
    by route: BagRoute
  ) -> Place? {
    let reservation = registry.extract {
      $0.reserve(id, ifTaken: policy, hasBegun: hasBegun, by: route)
    }
    for member in reservation?.replaced.members ?? [] { member.cancel() }
    return reservation.map { ($0.slot, $0.travels, $0.waitsFor?.callSite) }
  }

  /// Makes a task that begins among the `Departures`, and goes from there to the actor of its
  /// operation.
  @usableFromInline
  func departingTask(
    _ operation: @escaping @isolated(any) @Sendable () async throws -> Void,
    _ place: Place,
    _ name: String?,
    _ priority: TaskPriority?,
    _ callSite: CallSite
  ) -> Member {
    .made(
      Task(name: name, priority: priority) { @Departures in
        await self.run(operation, place, callSite, on: operation.isolation)
      }
    )
  }

  @usableFromInline func arrive() { registry.locked { $0.arrive() } }

  /// Waits until the tasks have ended that a new one replaces. Returns whether it begins: not if it
  /// is cancelled.
  @usableFromInline
  func mayBegin(_ slot: Int, after blocker: CallSite, _ callSite: CallSite) async -> Bool {
    let kind = WaitingCall.Kind.tasks(
      id: registry.locked { $0.id(in: slot) }?.value,
      addedAt: blocker
    )
    do {
      try await throwingWait(.options(.abandonCallback, nil, callSite), as: kind) { waiter in
        if registry.locked({ $0.waitToBegin(slot, waiter) }) { waiter.resume() }
      } onCancel: {
        _ = registry.extract { $0.stopWaitingToBegin(slot) }
      } onDiscard: {
      }
      return true
    } catch {
      return false
    }
  }

  /// Runs a task on the actor of its operation, from its wait for others to its end.
  @_alwaysEmitIntoClient
  @inline(__always)
  func run(
    _ operation: @isolated(any) @Sendable () async throws -> Void,
    _ place: Place,
    _ callSite: CallSite,
    on actor: isolated (any Actor)?
  ) async {
    if place.travels { arrive() }
    if let blocker = place.waitsFor, !(await mayBegin(place.slot, after: blocker, callSite)) {
      return finish(place.slot)
    }
    do { try await operation() } catch { report(error, callSite) }
    finish(place.slot)
  }

  @usableFromInline func start(_ slot: Int, _ member: Member) {
    if registry.locked({ $0.start(slot, member) }) { member.cancel() }
  }

  @usableFromInline func finish(_ slot: Int) {
    let released = registry.extract { $0.finish(slot) }
    for waiter in released.waiters { waiter.resume() }
  }

  /// A task threw, on its actor. The `CancellationError` of a cancelled task is not reported.
  @usableFromInline func report(_ error: any Error, _ callSite: CallSite) {
    if error is CancellationError, Task.isCancelled { return }
    onError(error, callSite)
  }

  // MARK: Cancelling and waiting

  func cancel(_ id: BagID) -> Bool {
    guard let cancelled = registry.extract({ $0.cancel(id) }) else { return false }
    for member in cancelled.members { member.cancel() }
    return true
  }

  func cancelAll() {
    for member in registry.extract({ $0.cancelAll() }) { member.cancel() }
  }

  /// Returns when all tasks have ended.
  func waitForAll(_ options: CallOptions) async throws {
    try await throwingWait(options, as: .tasks(id: nil, addedAt: nil)) { waiter in
      let token = registry.locked { $0.wait(waiter) }
      if token == nil { waiter.resume() }
      return token
    } onCancel: { token in
      if let token { _ = registry.extract { $0.stopWaiting(token) } }
    } onDiscard: {
    }
  }
}
