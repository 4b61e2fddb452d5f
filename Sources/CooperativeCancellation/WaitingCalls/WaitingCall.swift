/// A call to this library that is waiting now: what a hung test or a frozen screen is waiting for.
///
/// A suspended task is on no thread, so no backtrace shows it. ``list`` does:
///
/// ```
/// 3 calls are waiting:
///   12.3 s  App/Feed.swift:53, 47.7 s left, in the task "refresh"
///   3.1 s  App/Photos.swift:57, timed out, waiting for the SDK's answer
///   0.1 s  App/Socket.swift:58, id 4711
/// ```
///
/// Calls are recorded in debug builds, and elsewhere after ``startRecording(reportingAfter:)``. See <doc:ItHangs>.
public struct WaitingCall: Sendable {
  /// What is waiting.
  @usableFromInline
  package enum Kind: Sendable {
    /// A call with a completion handler.
    case call
    /// A call of `PendingCalls`, with its id, or of `PendingCall`, or a wait for a `PendingEvent`.
    case pendingCall(id: (any Hashable & Sendable)?)
    /// A call of `PendingCall`, or of `PendingCalls` with its id, that waits for its turn. The SDK has not been
    /// called.
    case turn(id: (any Hashable & Sendable)?)
    /// A reader of a sequence, for which a long wait may be normal. The call site is the sequence's.
    case element
    /// A wait for all tasks of a `TaskBag`; with a call site, for the task that was added there, perhaps with an id.
    case tasks(id: (any Hashable & Sendable)?, addedAt: CallSite?)
  }

  /// How far along the call is.
  @usableFromInline
  package enum State: Sendable, Hashable {
    /// It is waiting for its answer.
    case waiting
    /// It was cancelled, and is waiting for the SDK's answer: see ``CancellationResponse``.
    case cancelled
    /// It timed out, and is waiting for the SDK's answer.
    case timedOut
    /// It has its answer, was cancelled or timed out, but its task has not run since: the actor, or the pool, is busy.
    case over
  }

  /// Where the call is in the source code.
  package let callSite: CallSite
  /// What is waiting.
  let kind: Kind
  /// How far along the call is.
  package let state: State
  /// How long the call has waited, in seconds.
  package let seconds: Double
  /// How long the call may still wait, in seconds; `nil` without a timeout, or if the timeout is on your own clock.
  package let secondsLeft: Double?
  /// The name of the waiting task, on systems where tasks have names.
  package let taskName: String?
  let begin: Moment

  package var id: (any Hashable & Sendable)? {
    switch kind {
    case .call, .element: nil
    case .pendingCall(let id), .turn(let id), .tasks(let id, _): id
    }
  }

  /// All recorded calls that are waiting now, oldest first. May be used from any thread, and stops no call.
  package static var all: [WaitingCall] { Recorder.snapshot(mayBlock: true).calls }

  /// All recorded calls that are waiting now, oldest first, one per line. In a debugger: `po WaitingCall.list`.
  ///
  /// It never waits for a lock, because a stopped thread may hold one, and says if calls may be missing as a result.
  public static var list: String {
    if !Recorder.isOn { return "Calls are not recorded: see `WaitingCall.startRecording()`." }
    let (calls, busyTables) = Recorder.snapshot(mayBlock: false)
    let tables = busyTables == 1 ? "1 table was" : "\(busyTables) tables were"
    return describe(calls)
      + (busyTables > 0 ? "\n  some calls may be missing (\(tables) locked)" : "")
  }

  /// Records every call that begins to wait from now on.
  ///
  /// The environment variable `COOPERATIVE_CANCELLATION_LONG_WAITS`, a number of seconds, does the same. With
  /// `COOPERATIVE_CANCELLATION_HANG_LIMIT`, the first call that waits longer ends the process: see <doc:ItHangs>.
  ///
  /// - Parameter limit: Reports each call that waits longer to ``RuntimeIssue/handler``, once, from another thread;
  ///   `nil`, zero or less reports none, unless the environment says so. Readers of sequences are not reported.
  public static func startRecording(reportingAfter limit: Timeout? = nil) {
    Recorder.recording.cancel()
    LongWaits.reported.set(limit)
  }

  package static func describe(_ calls: [WaitingCall], atMost limit: Int = .max) -> String {
    if calls.isEmpty { return "No calls are waiting." }
    let title = calls.count == 1 ? "1 call is waiting:" : "\(calls.count) calls are waiting:"
    let lines = calls.prefix(limit).map { "\n  \(tenths($0.seconds)) s  \($0.text)" }
    let rest = calls.count - lines.count
    return title + lines.joined() + (rest > 0 ? "\n  and \(rest) more" : "")
  }
}

extension WaitingCall {
  /// Where the call is, and what it is waiting for.
  package var text: String {
    var words = ["\(callSite)"]
    switch state {
    case .waiting: break
    case .cancelled: words.append("cancelled, waiting for the SDK's answer")
    case .timedOut: words.append("timed out, waiting for the SDK's answer")
    case .over: words.append("has finished, but its actor is busy")
    }
    switch kind {
    case .call, .pendingCall(nil): break
    case .pendingCall(let id?): words.append("id \(quoted(id))")
    case .turn(nil): words.append("waiting for its turn")
    case .turn(let id?): words.append("id \(quoted(id)), waiting for its turn")
    case .element: words.append("waiting for an element")
    case .tasks(let id, let callSite):
      if let id { words.append("id \(quoted(id))") }
      let tasks = callSite.map { "the task added at \($0)" } ?? "its tasks"
      words.append("waiting for \(tasks) to end")
    }
    if let secondsLeft, state == .waiting { words.append("\(tenths(secondsLeft)) s left") }
    if let taskName { words.append("in the task \"\(taskName)\"") }
    return words.joined(separator: ", ")
  }
}

private func quoted(_ id: any Sendable) -> String { id is String ? "\"\(id)\"" : "\(id)" }

private func tenths(_ seconds: Double) -> String { "\((seconds * 10).rounded() / 10)" }
