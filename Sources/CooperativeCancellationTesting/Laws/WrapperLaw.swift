/// What must hold for a wrapper, whatever the SDK does and whenever the task is cancelled.
///
/// The raw value is the name in a report.
public enum WrapperLaw: String, Sendable, Hashable, CaseIterable {
  /// The SDK's value ends the wait, and the SDK is not cancelled.
  case answer = "answer"

  /// The SDK's error is thrown, and is not a `CancellationError`.
  case error = "error"

  /// An answer that the SDK gives before its method returns ends the wait.
  case answerInsideCall = "answer inside the call"

  /// For one answer of the SDK, the wrapper calls its completion once.
  case oneAnswer = "one answer"

  /// In a task that is cancelled already the SDK is not called, and `CancellationError` is thrown.
  case checkBefore = "check before"

  /// A task that is cancelled while it waits does not wait for the SDK, and throws `CancellationError`.
  case prompt = "prompt"

  /// The SDK is told of a cancellation, once.
  case forwarding = "forwarding"

  /// A value that comes in the same moment as a cancellation is not delivered.
  case checkAfter = "check after"

  /// An answer after a cancellation changes nothing, and is no misuse.
  case lateAnswer = "late answer"

  /// A second answer changes nothing.
  case secondAnswer = "second answer"

  /// A completion that the SDK releases without calling it ends the wait with an error.
  case droppedCompletion = "dropped completion"

  /// Each value that is not delivered is discarded, once.
  case nothingLost = "nothing lost"

  /// The SDK is not cancelled under a lock of the runtime's: one that answers under its own lock would deadlock.
  case noLockHeld = "no lock held"

  /// When the time is up, the wait ends with an error that is not a `CancellationError`, and the SDK is told.
  case timeout = "timeout"
}
