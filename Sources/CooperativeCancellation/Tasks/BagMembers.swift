/// The lock around a ``TaskRegistry``, shared by a bag and its tasks. Acts on and releases what the registry
/// returns after unlocking.
@usableFromInline
final class BagMembers: Sendable {
  /// A structure around the closure, for the reason given in ``RuntimeIssue``.
  struct ErrorHandler: Sendable {
    let body: @Sendable (any Error, CallSite) -> Void
  }

  private let registry = Locked(initially: TaskRegistry())
  private let errorHandler: Locked<ErrorHandler>

  init(onError: @escaping @Sendable (any Error, CallSite) -> Void) {
    errorHandler = Locked(initially: ErrorHandler(body: onError))
  }

  var count: Int { registry.locked { $0.count } }
  var isClosed: Bool { registry.locked { $0.isClosed } }

  var onError: @Sendable (any Error, CallSite) -> Void {
    get { errorHandler.locked { $0 }.body }
    set { _ = errorHandler.exchange(for: ErrorHandler(body: newValue)) }
  }

  // MARK: A task's life

  @usableFromInline
  func reserve() -> Int? {
    registry.locked { $0.reserve() }
  }

  /// The place of a task, and where one was added that must end before it begins.
  @usableFromInline typealias Reservation = (slot: Int, waitsFor: CallSite?)

  /// Reserves a slot for a task with an id, and cancels the tasks that it replaces. Compares each existing id once. A
  /// task that has already begun cannot wait for them.
  @usableFromInline
  func reserve(
    id: any AnyID,
    ifTaken policy: TaskBag.TakenIDPolicy,
    hasBegun: Bool = false
  ) -> Reservation? {
    let isBeside = policy == .runAlongside
    let reservation = registry.locked { $0.reserve(id: id, besideOthers: isBeside) }
    guard let (slot, others) = reservation else { return nil }
    let equal = others.filter { $0.id.equals(id) }
    if equal.isEmpty { return (slot, nil) }
    let (keeps, waits) = (policy == .keep, policy != .replaceAtOnce && !hasBegun)
    switch registry.extract({ $0.settle(slot, against: equal, keeps: keeps, waits: waits) }) {
    case .withdrawn:
      return nil
    case .reserved(let members, let blocker):
      for member in members { member.cancel() }
      return (slot, blocker?.id.callSite)
    }
  }

  /// Waits until the tasks have ended that a new one replaces. Returns whether it begins: not if it is cancelled.
  @usableFromInline
  func mayBegin(_ slot: Int, after blocker: CallSite, _ callSite: CallSite) async -> Bool {
    let kind = WaitingCall.Kind.tasks(
      id: registry.locked { $0.id(in: slot) }?.anyValue,
      addedAt: blocker
    )
    do {
      try await throwingWait(.terms(.abandonCallback, nil, callSite), as: kind) { continuation in
        let handler = TaskRegistry.EndHandler { continuation.resume(with: $0) }
        if registry.locked({ $0.waitToBegin(slot, handler) }) { continuation.resume() }
      } onCancel: {
        _ = registry.extract { $0.stopWaitingToBegin(slot) }
      } onDiscard: {
      }
      return true
    } catch {
      return false
    }
  }

  @usableFromInline
  func start(_ slot: Int, _ member: Member) {
    if registry.locked({ $0.start(slot, member) }) { member.cancel() }
  }

  @usableFromInline
  func finish(_ slot: Int) {
    let released = registry.extract { $0.finish(slot) }
    for handler in released.endHandlers { handler.completion(.success) }
  }

  /// A task threw, on that actor. The `CancellationError` of a cancelled task is not reported.
  @usableFromInline
  func report(_ error: any Error, _ callSite: CallSite, on _: isolated (any Actor)?) {
    if error is CancellationError, Task.isCancelled { return }
    onError(error, callSite)
  }

  // MARK: Cancelling and waiting

  func cancel(id: any AnyID) -> Bool {
    var compared: [any AnyID] = []
    while true {
      let known = Set(compared.map { ObjectIdentifier($0) })
      let new = registry.locked { $0.holders(ofHash: id.hash) }
        .filter { !known.contains(ObjectIdentifier($0.id)) }
      let equal = new.filter { $0.id.equals(id) }
      if equal.isEmpty { return false }
      // All of them may have ended, and another task may have the id.
      guard let members = registry.extract({ $0.cancel(equal) }) else {
        compared += new.map(\.id)
        continue
      }
      for member in members { member.cancel() }
      return true
    }
  }

  func cancelAll() {
    for member in registry.extract({ $0.cancelAll() }) { member.cancel() }
  }

  func close() {
    registry.locked { $0.close() }
  }

  /// Returns when all tasks have ended.
  func waitForAll(_ terms: CallOptions) async throws {
    try await throwingWait(terms, as: .tasks(id: nil, addedAt: nil)) { continuation in
      let handler = TaskRegistry.EndHandler { continuation.resume(with: $0) }
      let token = registry.locked { $0.wait(handler) }
      if token == nil { continuation.resume() }
      return token
    } onCancel: { token in
      if let token { _ = registry.extract { $0.stopWaiting(token) } }
    } onDiscard: {
    }
  }
}
