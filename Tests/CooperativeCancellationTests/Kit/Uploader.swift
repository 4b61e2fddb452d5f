import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import PendingAnswers

typealias Completion = @Sendable (Result<Int, any Error>) -> Void
typealias Calls = FakeCall<Completion>

/// The usual wrapper, but for what is given.
func value(
  of calls: Calls,
  wrapping wrap: (@escaping Completion) -> Completion = { $0 },
  onCancel cancel: (Calls.Request) -> Void = { $0.cancel() }
) async throws -> Int {
  try await withAsyncThrowingValue { completion in
    calls.record(wrap(completion))
  } onCancel: {
    cancel($0)
  }
}

/// A wrapper that its calls share.
struct Uploader: Sendable {
  let upload: @Sendable (Calls) async throws -> Int
}

extension Uploader {
  static func bridged(_ count: LiveCount) -> Uploader {
    let member = LiveCount.Member(of: count)
    return Uploader { calls in
      defer { withExtendedLifetime(member) {} }
      return try await value(of: calls)
    }
  }

  static func queued() -> Uploader {
    let pending = PendingCall<Int>()
    return Uploader { calls in
      try await pending.value {
        calls.record { pending.resume(with: $0) }
      } onCancel: {
        $0.cancel()
      }
    }
  }

  /// The SDK answers the completion that was stored last, for whatever call. The slot may keep the
  /// earlier ones.
  static func inOneSlot(keepsAll: Bool) -> Uploader {
    let completions = Protected<[Completion]>([])
    return Uploader { calls in
      try await value(of: calls) { completion in
        let earlier = completions.withLock { completions in
          defer { completions = keepsAll ? completions + [completion] : [completion] }
          return completions
        }
        withExtendedLifetime(earlier) {}
        return { result in completions.withLock { $0.last }?(result) }
      }
    }
  }

  /// Cancels the request that was made last, or first.
  static func inOneField(keepsFirst: Bool = false) -> Uploader {
    let request = Protected<Calls.Request?>(nil)
    return Uploader { calls in
      try await withAsyncThrowingValue { completion in
        let made = calls.record(completion)
        request.withLock { if $0 == nil || !keepsFirst { $0 = made } }
      } onCancel: { _ in
        request.withLock { $0 }?.cancel()
      }
    }
  }

  static func refusing() -> Uploader {
    let isBusy = Protected(false)
    return Uploader { calls in
      let mayCall = isBusy.withLock { isBusy in
        defer { isBusy = true }
        return !isBusy
      }
      guard mayCall else { throw SDKError.failed }
      defer { isBusy.withLock { $0 = false } }
      return try await value(of: calls)
    }
  }

  /// One call at a time. One that waits for its turn may be unable to leave.
  static func inLine(canLeave: Bool) -> Uploader {
    let response: CancellationResponse = canLeave ? .abandonCallback : .ignoreCancellation
    let line = Protected<(isBusy: Bool, waiting: [CancellableContinuation<Void, any Error>])>(
      (false, [])
    )
    @Sendable func letNextOneCall() {
      let next = line.withLock { line in
        line.isBusy = !line.waiting.isEmpty
        return line.isBusy ? line.waiting.removeFirst() : nil
      }
      // It may have left.
      if let next, !next.tryResume() { letNextOneCall() }
    }
    return Uploader { calls in
      try Task.checkCancellation()
      try await withCancellableThrowingContinuation(whenCancelled: response) { turn in
        let isFree = line.withLock { line in
          defer { line.isBusy = true }
          if line.isBusy { line.waiting.append(turn) }
          return !line.isBusy
        }
        if isFree { turn.resume() }
      }
      defer { letNextOneCall() }
      return try await value(of: calls)
    }
  }

  static func remembering(_ fault: Remembering.Fault) -> Uploader {
    Uploader(upload: Remembering(fault).upload)
  }
}

/// What one call leaves in the wrapper changes the next.
final class Remembering: Sendable {
  enum Fault: String, CaseIterable {
    case cancellation = "called again after the task was cancelled, and did not call the SDK"
    case failure = "called again after the SDK reported an error, and did not call the SDK"
    case completion = "the SDK's late answer to the previous call ended the next one"
    case request = "the SDK was told to cancel the previous call when it was called again"
    case told = "told to cancel when the task was cancelled in a second call"
  }

  private let fault: Fault
  private let error = Protected<(any Error)?>(nil)
  private let completion = Protected<Completion?>(nil)
  private let request = Protected<Calls.Request?>(nil)

  init(_ fault: Fault) { self.fault = fault }

  func upload(_ calls: Calls) async throws -> Int {
    if fault == .request { request.withLock { $0 }?.cancel() }
    if let error = error.withLock({ $0 }) { throw error }
    do {
      return try await value(of: calls) { [self] completion in
        if fault != .completion { return completion }
        self.completion.withLock { $0 = completion }
        return { [self] result in self.completion.withLock { $0.take() }?(result) }
      } onCancel: { call in
        let isFirst = request.withLock { request in
          defer { request = call }
          return request == nil
        }
        if isFirst || fault != .told { call.cancel() }
      }
    } catch {
      if error is CancellationError ? fault == .cancellation : fault == .failure {
        self.error.withLock { $0 = error }
      }
      throw error
    }
  }
}
