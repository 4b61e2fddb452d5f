internal import CancellationInternals
public import CooperativeCancellation

/// Ends one subscription, once: discards what remains, and runs `onTermination` at the sequence's
/// home.
@usableFromInline package enum Termination<Element: Sendable> {
  /// The home is not an actor: runs where the reader is. Nothing else holds what it captures, which
  /// is not `Sendable`.
  case inPlace(() -> Void)

  /// The home is an actor: runs there, wherever the caller is.
  case onHome(ActorWork, Home<Element>)

  /// Runs it for a reader that was told of the end.
  @usableFromInline func run(_ callSite: CallSite, isolation: isolated (any Actor)?) async {
    switch self {
    case .inPlace(let run): run()
    case .onHome(let ending, let home): await home.run(ending, callSite, isolation: isolation)
    }
  }

  /// Returns the same for an object that any task may release. The caller must be at the sequence's
  /// home.
  @_alwaysEmitIntoClient
  func ending(_ isolation: isolated (any Actor)?) -> ActorWork {
    switch self {
    case .inPlace(let run):
      ActorWork {
        _ = isolation
        run()
      }
    case .onHome(let ending, _): ending
    }
  }

  /// Runs it from code that cannot suspend.
  @usableFromInline func runFromDeinit() {
    switch self {
    case .inPlace(let run): run()
    case .onHome(let ending, _): ending.start()
    }
  }
}

/// Work that runs once, on the actor to which its closure belongs. The closure may capture the
/// actor's state: it is sent in, which the compiler allows for a closure isolated to the actor, and
/// out again.
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

  private func take() -> sending Work? {
    work.locked { work in
      let taken = work
      work = nil
      return taken
    }
  }

  /// Runs it before this function returns, without suspending if the caller is on the actor.
  nonisolated(nonsending) func run() async { await take()?.body() }

  /// Runs it soon, and never before this function returns. The task itself takes the work out:
  /// otherwise, this thread could release what the work captures, under a lock of its caller's.
  func startLater() { Task { await run() } }

  /// Runs it soon; if the caller is on the actor and the system can tell, before this function
  /// returns.
  func start() {
    if let work = take() { startTask(work.body) }
  }
}

/// Starts a task: its first part runs before this function returns if the system supports that.
func startTask(_ body: sending @escaping @isolated(any) () async -> Void) {
  if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
    Task.immediate(operation: body)
    return
  }
  Task(operation: body)
}
