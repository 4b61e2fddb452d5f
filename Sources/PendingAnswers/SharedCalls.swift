public import CancellationInternals
public import CooperativeCancellation

/// One request for many callers: calls with the same key share one call of an SDK.
///
/// ```swift
/// final class Album: Sendable {
///   private let sdk = ImageSDK()
///   private let loads = SharedCalls<String, Image>()
///
///   func image(_ name: String) async throws -> Image {
///     try await loads.value(for: name, timeout: .seconds(30)) { [sdk] in
///       try await withAsyncThrowingValue { completion in
///         sdk.load(name) { completion($0) }
///       } onCancel: { request in
///         request.cancel()
///       }
///     }
///   }
/// }
/// ```
///
/// The first caller makes the call; all who wait when it ends receive its value, or its error. The
/// key is free before any of them goes on, so one that tries again at once asks the SDK again.
/// Nothing is cached.
///
/// A caller that is cancelled or times out leaves at once. When the last one leaves, the call is
/// cancelled, unless ``begin(for:in:onDiscard:)`` made it or found it. ``resume(_:throwing:)`` ends
/// the call with one key, and ``close(throwing:)`` all calls.
///
/// May be used from any thread and actor. The library holds no lock while your closures run, or
/// while keys and values are released. The `==` and the `hash(into:)` of a key run under the lock
/// of this object, so they must not use it.
public final class SharedCalls<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  @usableFromInline typealias Caller = CancellableContinuation<SharedValue<Value>, any Error>

  @usableFromInline let calls: Locked<SharedCallsMachine<Key, Caller>>

  /// Creates an instance with no calls.
  @_alwaysEmitIntoClient
  public init() { calls = Locked(initially: SharedCallsMachine()) }

  /// How many callers wait.
  package var count: Int { calls.locked { $0.count } }

  /// Waits for the call with a key, and makes it if there is none.
  ///
  /// Returns the value of the call. Throws its error, `CancellationError`, `TimeoutError` with this
  /// caller's line, or the error that ended the call from outside.
  ///
  /// `operation` makes the call, through a bridge or with any asynchronous function. Only that of
  /// the first caller runs: in its own task, on the actor to which the closure belongs, as in `Task
  /// { … }`. No caller's cancellation reaches it, until the last one has left; the priority of each
  /// caller raises it, on macOS 26, iOS 26 and newer. It must not wait for its own key. `timeout`
  /// limits the wait of this caller; to limit the call itself, for all callers, pass one to its
  /// bridge. `discard` closes or frees a value that no caller returns, or undoes a `Void` success:
  /// no cancellation reaches a call that has ended. It is called at most once, that of the first
  /// caller: where `operation` ended, or where the last caller goes on.
  @_alwaysEmitIntoClient
  public nonisolated(nonsending) func value(
    for key: Key,
    timeout: Timeout? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext in operation:
      sending @escaping @isolated(any) () async throws -> sending Value,
    onDiscard discard: (@Sendable (Value) -> Void)? = nil
  ) async throws -> Value {
    let callSite = CallSite(fileID: fileID, line: line)
    let options = CallOptions.options(.abandonCallback, timeout, callSite)
    let work = Sent(AbandonableWork(run: operation))
    let call = Locked(initially: nil as Int?)
    let shared: SharedValue<Value> = try await raising { [self] priority in
      guard let call = call.locked({ $0 }) else { return }
      escalate(calls.extract { $0.raise(call, to: priority) }, to: priority)
    } while: {
      try await throwingWait(
        options,
        as: .pendingCall(id: key),
        in: { (continuation: Caller) in
          let priority = Task.currentPriority
          let ticket = try calls.locked { try $0.join(key, continuation, priority) }
          escalate(ticket.raised, to: priority)
          call.locked { $0 = ticket.call }
          // Looked at again, because a raise that came before the line above has not found the
          // call. A later one finds it.
          let raised = Task.currentPriority
          if raised > priority {
            escalate(calls.extract { $0.raise(ticket.call, to: raised) }, to: raised)
          }
          if ticket.isFirst { make(ticket.call, work, discard) }
          return ticket
        },
        onCancel: { ticket in calls.extract { $0.leave(ticket) }.last?.call.task?.cancel() },
        onDiscard: nil
      )
    }
    return shared.take()
  }

  /// Makes the call with a key before a caller needs it, and does not wait for it.
  ///
  /// ```swift
  /// func prepare() {
  ///   refreshes.begin(for: "token") { try await self.refresh() }
  /// }
  /// ```
  ///
  /// If there is already a call with this key, `operation` does not run. In both cases, callers
  /// join the call as usual, but it goes on when the last one leaves, until it ends, or until
  /// ``resume(_:throwing:)`` or ``close(throwing:)`` ends it. After a close, this does nothing.
  ///
  /// `operation` runs in its own task, as for ``value(for:timeout:fileID:line:in:onDiscard:)``,
  /// also if the current task is cancelled. If no caller waits when it ends, its value goes to
  /// `onDiscard` and its error is ignored, so store what must last inside the closure.
  @_alwaysEmitIntoClient
  public nonisolated func begin(
    for key: Key,
    @_inheritActorContext in operation:
      sending @escaping @isolated(any) () async throws -> sending Value,
    onDiscard discard: (@Sendable (Value) -> Void)? = nil
  ) {
    let work = Sent(AbandonableWork(run: operation))
    if let call = calls.locked({ $0.begin(key) }) { make(call, work, discard) }
  }

  // MARK: An end from outside

  /// Ends the call with a key: its callers throw the error, and its task is cancelled.
  ///
  /// ```swift
  /// func logOut() {
  ///   token = nil
  ///   refreshes.resume("token", throwing: LoggedOut())
  /// }
  /// ```
  ///
  /// Does not wait for the task. The key is free at once, so a later caller calls the SDK again. A
  /// value that the task still returns goes to `onDiscard`; put a
  /// ``CooperativeCancellation/checkpoint(fileID:line:)`` before `operation` stores it.
  @_alwaysEmitIntoClient
  public func resume(_ key: Key, throwing error: any Error) {
    _ = tryResume(key, throwing: error)
  }

  /// The same. Returns whether there was a call.
  @_alwaysEmitIntoClient
  public func tryResume(_ key: Key, throwing error: any Error) -> Bool {
    guard let (call, _) = calls.extract({ $0.end(of: key) }) else { return false }
    end(call, throwing: error)
    return true
  }

  /// Ends all calls, as ``resume(_:throwing:)`` does. Later callers throw the error, too, without
  /// calling the SDK.
  ///
  /// Only the first error counts.
  @_alwaysEmitIntoClient
  public func close(throwing error: any Error) {
    for call in calls.extract({ $0.close(throwing: error) }).calls { end(call, throwing: error) }
  }

  /// Ends a call from outside, after unlocking.
  @_alwaysEmitIntoClient
  func end(_ call: SharedCallsMachine<Key, Caller>.Call, throwing error: any Error) {
    for caller in call.callers.slots { caller.element?.resume(throwing: error) }
    call.task?.cancel()
  }

  // MARK: The call

  /// Makes a call, in a task of its own, which begins when it can be cancelled.
  @_alwaysEmitIntoClient
  func make(
    _ call: Int,
    _ work: Sent<AbandonableWork<Value>>,
    _ discard: (@Sendable (Value) -> Void)?
  ) {
    let canBeCancelled = Wait(response: .abandonCallback)
    let task = Task {
      // Otherwise, whoever ends the call while this thread has not stored its task could not cancel
      // it, and `operation` would go on after that.
      await canBeCancelled.sleepAnywhere()
      let operation = work.open().run
      await { (_: isolated (any Actor)?) in
        do {
          end(call, .success(SharedValue(try await operation(), onDiscard: discard)))
        } catch {
          end(call, .failure(error))
        }
      }(operation.isolation)
    }
    let wanted = calls.locked { $0.start(call, task) }
    // The call was ended from outside.
    if wanted == nil { task.cancel() }
    // Only wakes the task, if a cancellation has not.
    canBeCancelled.interrupt(.cancelled)
    // The task has the priority with which the current one was created. That may have been raised
    // since, or another caller may have joined.
    if let wanted { escalate(task, to: wanted) }
  }

  /// The operation of a call has ended. If the call was ended from outside, or left by all, there
  /// is no caller for the answer: its release discards the value.
  @_alwaysEmitIntoClient
  func end(_ call: Int, _ answer: Result<SharedValue<Value>, any Error>) {
    guard let (call, _) = calls.extract({ $0.end(call) }) else { return }
    for caller in call.callers.slots { caller.element?.resume(with: answer) }
  }

  /// A call is at least as urgent as each of its callers.
  @_alwaysEmitIntoClient
  func escalate(_ task: Task<Void, Never>?, to priority: TaskPriority) {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      task?.escalatePriority(to: priority)
    }
  }
}
