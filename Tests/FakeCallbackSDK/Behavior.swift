/// How the SDK answers a call.
public struct Behavior: Sendable {
  /// What the SDK says.
  public enum Answer: Sendable {
    case success
    case failure(SDKError)
    /// To a completion that takes values and an error: no error, and these of the values.
    case halves(first: Bool, second: Bool)
    /// To a completion that takes values and an error: the error, and these of the values beside
    /// it.
    case failureBeside(SDKError, first: Bool, second: Bool)
  }

  /// Answers given before the call returns, on the caller's thread.
  public var inside: [Answer] = []

  /// Answers given later, on the SDK's own queue.
  public var queued: [Answer] = []

  /// The answer that `cancel()` gives, before it returns, on the thread that cancels.
  public var toCancel: Answer?

  /// Whether the SDK holds, while it answers, the lock that `cancel()` takes.
  public var locksWhileAnswering = false

  /// Whether the SDK keeps the completion once the call has returned.
  public var keepsCompletion = true

  /// Answers when the test says so (``Backend/answer(_:)``).
  public static let onDemand = Behavior()

  /// Never answers, and keeps the completion. The same as ``onDemand``, for a test that never asks
  /// for an answer.
  public static let never = Behavior()

  /// Answers before the call returns.
  public static let insideTheCall = inside(.success)

  /// Answers before the call returns, with these answers one after the other.
  public static func inside(_ answers: Answer...) -> Behavior { Behavior(inside: answers) }

  /// Answers later, on a queue of its own.
  public static let later = Behavior(queued: [.success], keepsCompletion: false)

  /// Releases the completion, so no answer can follow.
  public static let dropping = Behavior(keepsCompletion: false)

  /// Answers a cancellation with the SDK's own error, at once, on the cancelling thread.
  public static let confirmingCancellation = Behavior(toCancel: .failure(.cancelled))

  /// Answers when the test says so, holding the lock that `cancel()` takes.
  public static let onDemandUnderItsLock = Behavior(locksWhileAnswering: true)
}
