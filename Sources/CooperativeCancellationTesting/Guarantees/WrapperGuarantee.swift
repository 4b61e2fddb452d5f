/// What must hold for a wrapper, whatever the SDK does and whenever the task is cancelled.
///
/// The raw value is the name in reports. A minor version may add a case, so a `switch` over it
/// needs a `default`.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
public enum WrapperGuarantee: String, Sendable, Hashable, CaseIterable {
  /// The SDK is called once, its value ends the wait, and it is not cancelled after that.
  case answer = "answer"

  /// The SDK's error is thrown, and is not a `CancellationError`; the SDK is not cancelled after
  /// that.
  case error = "error"

  /// An answer before the SDK's method returns ends the wait.
  case answerInsideCall = "answer inside the call"

  /// For one answer of the SDK, the completion is called once.
  case oneAnswer = "one answer"

  /// In a task that is already cancelled, the SDK is not called, and `CancellationError` is thrown.
  case checkBefore = "check before"

  /// A cancelled wait throws `CancellationError` without waiting for the SDK.
  case prompt = "prompt"

  /// The SDK is told exactly once of a cancellation, or of a timeout, even if its value came first
  /// and is not delivered.
  case forwarding = "forwarding"

  /// With `alwaysUnregisters: true`, the SDK is also told exactly once after an answer or an error:
  /// a session is closed, a scanner is stopped, a listener is removed.
  case closing = "closing"

  /// A value that arrives at the same moment as a cancellation is not delivered.
  case checkAfter = "check after"

  /// An answer after a cancellation has no effect and is not misuse.
  case lateAnswer = "late answer"

  /// A second answer has no effect.
  case secondAnswer = "second answer"

  /// A completion that the SDK releases without calling it ends the wait with an error.
  case droppedCompletion = "dropped completion"

  /// Each value that is not delivered is discarded exactly once.
  case nothingLost = "nothing lost"

  /// The SDK is not cancelled under a lock, the runtime's or the wrapper's, that an answer of the
  /// SDK might wait for.
  case noLockHeld = "no lock held"

  /// Two calls of one wrapper at the same time each get their own answer, and the end of one does
  /// not touch the other. A call that waits for its turn can be cancelled.
  case twoCalls = "two calls"

  /// However a call has ended, the next call of the wrapper gets its own answer.
  case nextCall = "next call"

  /// A wait that times out throws an error other than `CancellationError`, its timer ends with it,
  /// and the SDK is told, unless ``forwarding`` is excepted.
  case timeout = "timeout"
}

extension WrapperGuarantee {
  /// What to write in a wrapper that breaks it.
  var remedy: String {
    switch self {
    case .answer:
      "Call the SDK once, pass each answer to the completion, and cancel the request only in `onCancel`. "
        + "From the bridge's closure, return a delegate that the SDK holds weakly. "
        + "For a session that must be closed after each answer, or a listener, pass `alwaysUnregisters: true`."
    case .error:
      "Pass the SDK's error to the completion unchanged, and cancel the request only in `onCancel`."
    case .answerInsideCall:
      "Be ready for an answer before you call the SDK, and hold no lock: it may come before the method returns."
    case .oneAnswer: "Call the completion once on each path through the SDK's callback."
    case .checkBefore:
      "Bridge with `withAsyncThrowingValue`, which checks first. For a call that must run, pass "
        + "`whenCancelled: .ignoreCancellation` to it and to `checkWrapper`."
    case .prompt:
      "Bridge with `withAsyncThrowingValue`. If the wrapper should wait for the SDK, pass its "
        + "`whenCancelled:` to `checkWrapper`, too."
    case .forwarding:
      "Cancel this call's request once, in `onCancel`, unless the call ignores cancellation. In a hand-written "
        + "wrapper, keep the cancellation handler active until the function returns, even after the SDK's answer. "
        + "For an SDK that cannot cancel, pass `except: [.forwarding]`."
    case .closing:
      "Stop the SDK once after each outcome, in a `defer` around the wait, or in its last callback, which then answers. "
        + "`onCancel` runs only after a cancellation or a timeout."
    case .checkAfter:
      "Check for cancellation after the answer, too, as `withAsyncThrowingValue` does."
    case .lateAnswer:
      "End the wait once, before you cancel the SDK, and pass the wrapper's `whenCancelled:` to `checkWrapper`, too."
    case .secondAnswer: "Use the first answer, and ignore the others."
    case .droppedCompletion:
      "Pass the completion itself to the SDK, keep no copy, and do not hide the error. For a delegate, which the "
        + "wait keeps alive, or for a `PendingCall` or ids, pass `except: [.droppedCompletion]`."
    case .nothingLost: "Close each value once, in `onDiscard`."
    case .noLockHeld:
      "Cancel the SDK in the bridge's `onCancel`, not in `withTaskCancellationHandler`, and after unlocking."
    case .twoCalls:
      "Keep no call's state in the wrapper's properties: return it from the bridge's closure. "
        + "For an SDK that allows only one call, use `PendingCall`, which makes the others wait; in your own queue, "
        + "a cancelled call must leave, and pass its turn on. "
        + "If the wrapper should refuse calls, or calls share an answer, pass `except: [.twoCalls]`."
    case .nextCall:
      "On each path, including a cancellation, reset what a call leaves in the wrapper, and match each answer with its "
        + "call. If a later call cannot succeed, pass `except: [.nextCall]`."
    case .timeout:
      "Pass the clock's `Timeout` to `timeout:`, and cancel the request in `onCancel`. End your own timer with the call."
    }
  }
}
