public import CancellationInternals

/// The lock around a ``AsyncOperationMachine``: a pending call's asynchronous `operation`, in a
/// task of its own.
@usableFromInline package final class AsyncOperation<Request: Sendable>: Sendable {
  @usableFromInline let machine: Locked<AsyncOperationMachine<Request>>
  @usableFromInline let operation: @isolated(any) @Sendable () async throws -> Request
  @usableFromInline let cancel: @isolated(any) @Sendable (Request) -> Void
  @usableFromInline let forwarded: @Sendable () -> Void

  /// - Parameter forwarded: Called when the SDK has been told of the interruption, or cannot be
  ///   told anymore.
  @_alwaysEmitIntoClient
  package init(
    _ operation: @escaping @isolated(any) @Sendable () async throws -> Request,
    onCancel cancel: @escaping @isolated(any) @Sendable (Request) -> Void,
    forwarded: @escaping @Sendable () -> Void
  ) {
    machine = Locked(initially: AsyncOperationMachine())
    self.operation = operation
    self.cancel = cancel
    self.forwarded = forwarded
  }

  /// Runs the operation, in its own task. `fail` receives its error, or `nil` if it stopped because
  /// it was cancelled.
  @_alwaysEmitIntoClient
  package func run(ifItThrows fail: (_ error: (any Error)?) -> Void) async {
    let request: Request?
    do {
      // The call may have ended before its operation begins.
      try Task.checkCancellation()
      request = try await operation()
    } catch {
      fail(error is CancellationError && Task.isCancelled ? nil : error)
      request = nil
    }
    guard machine.locked({ $0.end(request) }) else { return }
    if let request { await cancel(request) }
    forwarded()
  }

  /// The call was cancelled or timed out.
  @_alwaysEmitIntoClient
  package func interrupt(_ task: Task<Void, Never>) async {
    switch machine.locked({ $0.interrupt() }) {
    case .cancelOperation:
      return task.cancel()
    case .cancel(let request):
      await cancel(request)
    case .nothing:
      break
    }
    forwarded()
  }
}
