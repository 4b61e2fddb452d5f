internal import CancellationInternals

/// A mistake in how an SDK or its wrapper uses a completion, or a call that waits longer than
/// expected.
///
/// The library neither throws nor traps. It passes the report to ``handler``, which an app sets
/// once, at launch:
///
/// ```swift
/// RuntimeIssue.handler = { issue in logger.error("\(issue)") }
/// ```
public struct RuntimeIssue: Sendable, Hashable {
  /// What was noticed. A minor version may add a case, so a `switch` over it needs a `default`.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum Kind: Sendable, Hashable {
    /// A completion was called more than once. The library ignored the call and passed its value to
    /// `onDiscard`.
    case completionCalledAgain

    /// A completion was dropped in a wait that cannot throw. Only one for `Void` or with a fallback
    /// then ends.
    case completionDropped

    /// A C callback passed arguments whose types differ from those of the closure in its
    /// `CallbackContext`.
    case contextCalledWithOtherTypes

    /// A checkpoint ran outside a task, where it never throws. Only debug builds report it.
    case checkpointOutsideTask

    /// A call has waited longer than ``WaitingCalls/startRecording(reportingAfter:)`` allows. It is
    /// still waiting.
    case longWait
  }

  /// What was noticed.
  public let kind: Kind

  /// The call that the report is about, such as the one that made the completion.
  public let callSite: CallSite

  private let detail: String

  /// Creates a report, to test a ``handler``. `CallSite()` is the place where you write it;
  /// `detail` is added, such as a limit.
  public init(kind: Kind, callSite: CallSite, detail: String = "") {
    self.kind = kind
    self.callSite = callSite
    self.detail = detail
  }
}

extension RuntimeIssue: CustomStringConvertible {
  /// One line that says where, what happened, and what to change.
  public var description: String {
    switch kind {
    case .completionCalledAgain:
      """
      \(callSite): the completion made here was called more than once. The first call counted; this \
      one was ignored. Call it exactly once on every path of the SDK's callback. If the SDK may answer \
      again, let a `PendingCall` take the first answer.
      """
    case .completionDropped:
      """
      \(callSite): the completion made here was released without being called, so there is no value. A \
      wait with `fallback:` or for `Void` has ended; any other never ends. Call it exactly once on \
      every path of the SDK's callback.
      """
    case .contextCalledWithOtherTypes:
      """
      \(callSite): the closure of this CallbackContext has the type \(detail). The closure was not called. A bridge \
      that waits for it ends with `DroppedCompletionError`, or its fallback. Give the closure the argument and result \
      types that C declares: `CallbackContext { (status: Int32, text: UnsafePointer<CChar>?) -> Void in … }`.
      """
    case .checkpointOutsideTask:
      """
      \(callSite): this checkpoint ran outside any task, perhaps in an SDK's callback, where it never \
      throws. Put it in the code that awaits, or check a `CancellationFlag` in the callback.
      """
    case .longWait:
      """
      \(callSite): this call has waited longer than \(detail) and is still waiting. `WaitingCalls.list` \
      shows its state. If the SDK may never answer, give the call a `timeout:`.
      """
    }
  }
}

extension RuntimeIssue {
  /// A structure, because a bare closure gets another thunk each time it passes the generic lock,
  /// until the stack overflows.
  package struct Handler: Sendable {
    let body: @Sendable (RuntimeIssue) -> Void

    package init(_ body: @escaping @Sendable (RuntimeIssue) -> Void) { self.body = body }
  }

  /// Receives the reports of one test instead of ``handler``.
  package static let collector = TaskLocal<Handler?>(wrappedValue: nil)

  private static let current = Locked(initially: Handler(printOncePerCallSite))
  private static let printed = PrintedReports { line in
    printToStandardError("CooperativeCancellation: \(line)")
  }

  /// Receives every report. The default prints one line to standard error for each kind and call
  /// site.
  ///
  /// The default neither blocks nor ends the process. If standard error is a full pipe, or one
  /// without a reader, it tries again at that call's next report. (It can block only if another
  /// writer fills the pipe just before.)
  ///
  /// The handler runs on the thread that made the mistake or released the completion, usually the
  /// SDK's, under no lock, so it may call the library. It also receives repeated reports: keep it
  /// fast.
  public static var handler: @Sendable (RuntimeIssue) -> Void {
    get { current.locked { $0 }.body }
    set { _ = current.exchange(for: Handler(newValue)) }
  }

  private static func printOncePerCallSite(_ report: RuntimeIssue) {
    printed.printOnce(report)
  }

  @usableFromInline
  package static func send(_ kind: Kind, _ callSite: CallSite, detail: String = "") {
    let receive = collector.get()?.body ?? handler
    receive(RuntimeIssue(kind: kind, callSite: callSite, detail: detail))
  }
}
