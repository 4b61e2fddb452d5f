public import CancellationInternals

/// A continuation whose task can be cancelled, in place of a `CheckedContinuation`.
///
/// ```swift
/// func image(at url: String) async throws -> Image {
///   try await withCancellableThrowingContinuation { continuation in
///     sdk.loadImage(at: url) { @Sendable image, error in
///       if let image {
///         continuation.resume(returning: image)
///       } else {
///         continuation.resume(throwing: error ?? MissingImage())
///       }
///     }
///   } onCancel: { request in
///     request.cancel()
///   }
/// }
/// ```
///
/// Copy it, store it in a property, a table or a state machine, and resume it on any thread. The
/// first event decides: a resumption, a cancellation, a timeout, or the release of the last copy. A
/// later resumption is ignored, and its value goes to `onDiscard`; a second one is reported to
/// ``RuntimeIssue/handler``. Neither traps.
///
/// | before it is resumed | a resumption | `tryResume` returns |
/// |---|---|---|
/// | nothing | ends the wait | `true` |
/// | a cancellation or a timeout | is ignored; its value goes to `onDiscard` | `false` |
/// | the same, with `.waitForCallback` | ends the wait; its value goes to `onDiscard` | `false` |
/// | the same, with `.deliverResult` | ends the wait, which returns or throws it | `true` |
/// | a resumption | is reported; its value goes to `onDiscard` | `false` |
/// | the closure that received it threw | is ignored; its value goes to `onDiscard` | `false` |
///
/// `tryResume` also returns whether it decides: if not, another caller may get the value
/// (<doc:Recipes>). Copies are equal, so a set can hold the continuations that wait:
/// `waiting.remove(continuation)`.
public struct CancellableContinuation<Value, Failure: Error>: Sendable, Hashable {
  /// The names that extensions of a `CheckedContinuation` use.
  public typealias T = Value
  /// The names that extensions of a `CheckedContinuation` use.
  public typealias E = Failure

  @usableFromInline package let reply: Reply<Result<Sent<Value>, Failure>>

  @_alwaysEmitIntoClient
  init(_ reply: Reply<Result<Sent<Value>, Failure>>) { self.reply = reply }

  /// Resumes the task with a value, which need not be `Sendable`.
  @_alwaysEmitIntoClient
  public func resume(returning value: consuming sending Value) {
    reply.answer(.success(Sent(value)))
  }

  /// Resumes the task with an error, which the wait throws.
  @_alwaysEmitIntoClient
  public func resume(throwing error: consuming Failure) { reply.answer(.failure(error)) }

  /// Resumes the task with a value or an error.
  @_alwaysEmitIntoClient
  public func resume(with result: consuming sending Result<Value, Failure>) {
    switch consume result {
    case .success(let value): resume(returning: consume value)
    case .failure(let error): resume(throwing: consume error)
    }
  }

  /// Resumes the task with a value or an error of any type.
  @_alwaysEmitIntoClient
  public func resume<Narrower: Error>(with result: consuming sending Result<Value, Narrower>)
  where Failure == any Error {
    switch consume result {
    case .success(let value): resume(returning: consume value)
    case .failure(let error): resume(throwing: consume error)
    }
  }

  /// Resumes the task, whose wait has no value.
  @_alwaysEmitIntoClient
  public func resume() where Value == Void { resume(returning: ()) }
}

// The same for whoever must know whether the resumption counts.
extension CancellableContinuation {
  /// Resumes the task with a value. Returns whether the wait returns it.
  ///
  /// If not, because the wait was resumed before, or was cancelled or timed out, the value goes to
  /// `onDiscard`; as it does if the closure that received the continuation throws afterwards.
  @_alwaysEmitIntoClient
  public func tryResume(returning value: consuming sending Value) -> Bool {
    reply.answer(.success(Sent(value)))
  }

  /// Resumes the task with an error. Returns whether the wait throws it.
  @_alwaysEmitIntoClient
  public func tryResume(throwing error: consuming Failure) -> Bool {
    reply.answer(.failure(error))
  }

  /// Resumes the task with a value or an error. Returns whether that ends the wait.
  @_alwaysEmitIntoClient
  public func tryResume(with result: consuming sending Result<Value, Failure>) -> Bool {
    switch consume result {
    case .success(let value): tryResume(returning: consume value)
    case .failure(let error): tryResume(throwing: consume error)
    }
  }

  /// Resumes the task, whose wait has no value. Returns whether that ends the wait.
  @_alwaysEmitIntoClient
  public func tryResume() -> Bool where Value == Void { tryResume(returning: ()) }
}

// For the bridges.
extension CancellableContinuation where Failure == any Error {
  /// The SDK called a completion with a value and an error. If there is an error, the value is
  /// discarded.
  @_alwaysEmitIntoClient
  func resume(returning value: consuming sending Value, beside error: consuming (any Error)?) {
    if let error = consume error {
      resume(throwing: consume error)
      reply.discard(.success(Sent(value)))
    } else {
      resume(returning: value)
    }
  }

  /// The SDK called its failure closure, perhaps without an error.
  @_alwaysEmitIntoClient
  func resume(throwing error: consuming (any Error)?) {
    resume(throwing: (consume error) ?? MissingValueError(callSite: reply.callSite))
  }
}
