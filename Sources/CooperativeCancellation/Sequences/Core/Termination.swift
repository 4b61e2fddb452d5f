/// What ends one subscription: discards what is left, and runs the user's `onTermination`. Runs once.
///
/// It belongs where the sequence was made, its home, because the closure and the SDK's token do.
@usableFromInline
package enum Termination {
  /// The home is no actor: it runs in place, wherever the reader is. What it captures is not `Sendable`, and so
  /// nobody else can hold it.
  case inPlace(() -> Void)

  /// The home is an actor: it runs there, whoever asks.
  case onHome(Errand)

  /// Runs it from code that cannot wait.
  @usableFromInline
  func runFromDeinit() {
    switch self {
    case .inPlace(let run): run()
    case .onHome(let errand): errand.start()
    }
  }
}

/// Work that is done once, on the actor to which its closure belongs.
///
/// The closure may capture what is the actor's, though this object is `Sendable`: it is sent in, which the
/// compiler allows for a closure of the actor's, and sent out again by the one who runs it.
@usableFromInline
package final class Errand: Sendable {
  // A structure, because a function type as a type argument needs a newer runtime.
  private struct Work {
    let body: @isolated(any) () async -> Void
  }

  private let work: Disconnected<Work>

  /// - Parameter body: Belongs to the actor whose isolated parameter it captures; `@_inheritActorContext` is
  ///   what makes the compiler believe that, as for the closure of a `Task`.
  @usableFromInline
  init(@_inheritActorContext _ body: sending @escaping @isolated(any) () async -> Void) {
    work = Disconnected(Work(body: body))
  }

  /// Does it before this function returns; without a suspension, if the caller is on the actor.
  @usableFromInline
  nonisolated(nonsending) func run() async {
    await work.open()?.body()
  }

  /// Does it: before this function returns, if the caller is on the actor and the system can tell, and soon
  /// after otherwise.
  func start() {
    if let work = work.open() { startTask(work.body) }
  }

  private func startTask(_ body: sending @escaping @isolated(any) () async -> Void) {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      Task.immediate(operation: body)
      return
    }
    Task(operation: body)
  }
}
