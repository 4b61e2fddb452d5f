/// What must hold for a wrapper, whatever the SDK does and whenever the task is cancelled.
///
/// The raw value is the name in reports.
public enum WrapperGuarantee: String, Sendable, Hashable, CaseIterable {
  /// The SDK's value ends the wait, and the SDK is not cancelled.
  case answer = "answer"

  /// The SDK's error is thrown, and is not a `CancellationError`.
  case error = "error"

  /// An answer before the SDK's method returns ends the wait.
  case answerInsideCall = "answer inside the call"

  /// For one answer of the SDK, the completion is called once.
  case oneAnswer = "one answer"

  /// In a task that is already cancelled, the SDK is not called, and `CancellationError` is thrown.
  case checkBefore = "check before"

  /// A cancelled wait throws `CancellationError` without waiting for the SDK.
  case prompt = "prompt"

  /// The SDK is told of a cancellation exactly once.
  case forwarding = "forwarding"

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

  /// The SDK is not cancelled under the runtime's lock, where an SDK that answers under its own lock would
  /// deadlock.
  case noLockHeld = "no lock held"

  /// A wait that times out throws an error other than `CancellationError`, and the SDK is told.
  case timeout = "timeout"
}
