internal import CancellationInternals

/// Work that runs once, on the actor to which its closure belongs: the end of a subscription, for
/// whoever may release it anywhere.
///
/// The closure may capture the actor's state, because it is sent in, which the compiler allows for
/// a closure isolated to the actor, and out again.
@usableFromInline package final class ActorWork: Sendable {
  // A structure, because a function type as a generic argument needs a newer runtime.
  private struct Work {
    let body: @isolated(any) () async -> Void
  }

  private let work: Locked<Work?>

  /// - Parameter body: Belongs to the actor whose isolated parameter it captures;
  ///   `@_inheritActorContext` makes the compiler infer that, as for the closure of a `Task`.
  @usableFromInline
  init(@_inheritActorContext _ body: sending @escaping @isolated(any) () async -> Void) {
    work = Locked(initially: Work(body: body))
  }

  private func takeWork() -> sending Work? {
    work.locked { work in
      let taken = work
      work = nil
      return taken
    }
  }

  /// Runs it before this function returns, without suspending if the caller is on the actor.
  nonisolated(nonsending) func run() async { await takeWork()?.body() }

  /// Runs it soon, and never before this function returns. The task itself takes the work out:
  /// otherwise, this thread could release what the work captures, under a lock of its caller's.
  func startLater() { Task { await run() } }

  /// Runs it soon; if the caller is on the actor and the system can tell, before this function
  /// returns.
  func start() {
    if let work = takeWork() { startTask(work.body) }
  }
}

/// Starts a task. Its first part runs before this function returns if the system supports that.
func startTask(_ body: sending @escaping @isolated(any) () async -> Void) {
  if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
    Task.immediate(operation: body)
    return
  }
  Task(operation: body)
}
