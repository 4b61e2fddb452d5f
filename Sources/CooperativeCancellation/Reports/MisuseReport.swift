/// A mistake in how an SDK or its wrapper uses a completion, which the library survived.
///
/// Nothing is thrown for these and nothing traps: the wait that the mistake belongs to has ended, or
/// has no way to throw. They reach one hook, ``handler``, which a host sets once, at launch:
///
/// ```swift
/// MisuseReport.handler = { report in logger.error("\(report)") }
/// ```
public struct MisuseReport: Sendable, Hashable {
  /// What went wrong.
  public enum Kind: Sendable, Hashable {
    /// A completion was called a second time. The call was ignored; a value it carried was passed to
    /// `onDiscard`.
    case completionCalledAgain

    /// A completion was released without having been called, in a wait that cannot throw. With a fallback,
    /// or for `Void`, the wait has ended; otherwise it never ends.
    case completionDropped

    /// A C library's callback passed arguments of other types to ``CallbackContext`` than its closure has.
    case contextCalledWithOtherTypes

    /// A checkpoint ran outside any task, where it can never throw. Reported by debug builds.
    case checkpointOutsideTask
  }

  /// What went wrong.
  public let kind: Kind

  /// The call that made the completion.
  public let callSite: CallSite

  /// What the description says besides.
  private let detail: String

  package init(kind: Kind, callSite: CallSite, detail: String = "") {
    self.kind = kind
    self.callSite = callSite
    self.detail = detail
  }
}

extension MisuseReport: CustomStringConvertible {
  /// One line: where, what happened, and what to change.
  public var description: String {
    switch kind {
    case .completionCalledAgain:
      """
      \(callSite): the completion made here was called more than once. The first call counted and \
      this one was ignored. Call it exactly once on every path of the SDK's callback.
      """
    case .completionDropped:
      """
      \(callSite): the completion made here was released without being called, so there is no value: a \
      wait with `fallback:` or for `Void` has ended, any other never ends. Call it exactly once on every \
      path of the SDK's callback.
      """
    case .contextCalledWithOtherTypes:
      """
      \(callSite): the closure of this CallbackContext is \(detail), so it was given up: a wait that it belongs \
      to ends as if its completion had been released. Write the types in the closure as C declares them, as in \
      `CallbackContext { (status: Int32, text: UnsafePointer<CChar>?) in … }`.
      """
    case .checkpointOutsideTask:
      """
      \(callSite): this checkpoint runs outside any task, where it can never throw: in an SDK's callback, \
      for instance. Put it in the code that awaits, or ask a `CancellationFlag` there.
      """
    }
  }
}

extension MisuseReport {
  /// A closure in a structure: one that passes through a generic function by itself, as through the lock, is
  /// wrapped once more each time, until a call of it overflows the stack.
  package struct Handler: Sendable {
    let body: @Sendable (MisuseReport) -> Void

    package init(_ body: @escaping @Sendable (MisuseReport) -> Void) {
      self.body = body
    }
  }

  /// Receives the reports of one test, in the place of ``handler``.
  package static let collector = TaskLocal<Handler?>(wrappedValue: nil)

  private static let current = Locked(initially: Handler(printOncePerCallSite))
  private static let printed = PrintedReports()

  /// Receives every report. The default is ``printOncePerCallSite(_:)``.
  ///
  /// It runs on the thread that made the mistake, usually the SDK's, or wherever the last reference to
  /// a completion was released. No lock is held meanwhile, so it may call anything, this library
  /// included. It receives repeated reports of the same call site; keep it short.
  public static var handler: @Sendable (MisuseReport) -> Void {
    get { current.locked { $0 }.body }
    set {
      // The old handler is released after unlocking: its captures are the host's.
      _ = current.extract { current in
        defer { current = Handler(newValue) }
        return current
      }
    }
  }

  /// Prints one line to standard error for the first report of each kind from each call site.
  ///
  /// It neither blocks nor ends the process. If standard error is a pipe that is full, or that nobody reads,
  /// nothing is printed, and the next report from that call site counts as the first. (The write waits for the
  /// reader only if another writer fills the pipe between the look at it and the write.)
  public static func printOncePerCallSite(_ report: MisuseReport) {
    printed.printOnce(report) { printToStandardError("CooperativeCancellation: \($0)") }
  }

  @usableFromInline
  static func send(_ kind: Kind, _ callSite: CallSite, detail: String = "") {
    let receive = collector.get()?.body ?? handler
    receive(MisuseReport(kind: kind, callSite: callSite, detail: detail))
  }
}
