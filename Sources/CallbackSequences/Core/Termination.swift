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
