import CooperativeCancellation
import CooperativeCancellationTesting
import Dispatch
import FakeCallbackSDK
import Foundation
import Testing

/// A wrapper that differs from the usual one, and the guarantees that it breaks, if any.
struct UnusualWrapper: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let guarantees: [WrapperGuarantee]
  /// Words of the report.
  let words: String
  let check: @Sendable () async throws -> Void

  init(
    _ description: String,
    breaks guarantees: [WrapperGuarantee] = [],
    says words: String = "–",
    check: @escaping @Sendable () async throws -> Void
  ) {
    testDescription = description
    self.guarantees = guarantees
    self.words = words
    self.check = check
  }

  /// A wrapper whose SDK answers with a number.
  init<Failure: Error>(
    _ description: String,
    breaks guarantees: [WrapperGuarantee] = [],
    says words: String = "–",
    alwaysUnregisters: Bool = false,
    except exceptions: Set<WrapperGuarantee> = [],
    call: @escaping @Sendable @concurrent (Calls) async throws(Failure) -> Int
  ) {
    self.init(description, breaks: guarantees, says: words) {
      try await checkWrapper(
        alwaysUnregisters: alwaysUnregisters,
        except: exceptions,
        call,
        success: { $0(.success(1)) },
        failure: { $0(.failure(SDKError.failed)) }
      )
    }
  }

  /// A wrapper that its calls share. Some keep the completion.
  init(
    _ description: String,
    breaks guarantees: [WrapperGuarantee] = [],
    says words: String = "–",
    except exceptions: Set<WrapperGuarantee> = [.droppedCompletion],
    shared make: @escaping @Sendable () -> Uploader
  ) {
    self.init(description, breaks: guarantees, says: words, except: exceptions) { calls in
      try await calls.wrapper(make).upload(calls)
    }
  }

  static let correct = correctAlone + correctShared
  static let broken = brokenAlone + brokenShared

  private struct OwnError: Error {}

  private static let correctAlone: [UnusualWrapper] = [
    UnusualWrapper("one whose error type has no CancellationError") {
      calls async throws(OwnError) in
      do {
        return try await value(of: calls)
      } catch {
        throw OwnError()
      }
    },
    UnusualWrapper("one that cancels the SDK on a queue") { calls in
      let queue = DispatchQueue(label: "the SDK's")
      return try await value(of: calls, onCancel: { call in queue.async { call.cancel() } })
    },
    UnusualWrapper("one that cancels the SDK in a task, by way of the main actor") { calls in
      try await value(
        of: calls,
        onCancel: { call in Task { @MainActor in Task.detached { call.cancel() } } }
      )
    },
    UnusualWrapper("one that tries again twice") { calls in
      for attempt in 1... {
        do {
          return try await value(of: calls)
        } catch SDKError.failed where attempt < 3 {
          continue
        }
      }
      return 0
    },
    UnusualWrapper("a listener that is always removed", alwaysUnregisters: true) {
      try await listen(to: $0) { _ in true }
    },
    // Its handler cancels the SDK under the runtime's lock.
    UnusualWrapper(
      "a hand-written one whose handler is active until the function returns",
      except: [.noLockHeld]
    ) { calls in
      try Task.checkCancellation()
      let call = Protected<Calls.Request?>(nil)
      @Sendable func cancel() { call.withLock { $0.take() }?.cancel() }
      return try await withTaskCancellationHandler {
        let value = try await withCancellableThrowingContinuation {
          (continuation: CancellableContinuation<Int, any Error>) in
          let made = calls.record { result in continuation.resume(with: result) }
          call.withLock { $0 = made }
          if Task.isCancelled { cancel() }
        }
        try Task.checkCancellation()
        return value
      } onCancel: {
        cancel()
      }
    },
    UnusualWrapper("one whose separate task ended before the cancellation") { calls in
      let number = try await withAbandonableTask { try await value(of: calls) }
      try Task.checkCancellation()
      return number
    },
    UnusualWrapper(
      "one that delivers what came before the cancellation, if that is excepted",
      except: [.droppedCompletion, .checkAfter],
      call: cancelBeforeTheEnd
    ),
  ]

  private static let brokenAlone: [UnusualWrapper] = [
    UnusualWrapper("one that returns a fallback before the call", breaks: [.checkBefore]) {
      calls async throws(OwnError) in
      do {
        return try await value(of: calls)
      } catch is CancellationError where calls.callCount == 0 {
        return 0
      } catch {
        throw OwnError()
      }
    },
    UnusualWrapper(
      "one that cancels the SDK twice, in a task",
      breaks: [.forwarding],
      says: "told to cancel 2 times"
    ) { calls in
      try await value(of: calls, onCancel: { call in Task { for _ in 1...2 { call.cancel() } } })
    },
    UnusualWrapper(
      "one that tries again forever",
      breaks: [.error],
      says: "an error to each of "
    ) { calls in
      while true {
        do {
          return try await value(of: calls)
        } catch SDKError.failed {
          await Task.yield()
        }
      }
    },
    UnusualWrapper(
      "a listener that is removed only after a cancellation",
      breaks: [.closing],
      says: "never told to stop or to close",
      alwaysUnregisters: true
    ) {
      try await listen(to: $0) { $0 }
    },
    UnusualWrapper(
      "a listener that is removed unless the task is cancelled",
      breaks: [.forwarding],
      says: "was never told to cancel",
      alwaysUnregisters: true
    ) {
      try await listen(to: $0) { !$0 }
    },
    UnusualWrapper(
      "a listener that is always removed, of which the test does not say so",
      breaks: [.answer, .error],
      says: "alwaysUnregisters: true"
    ) {
      try await listen(to: $0) { _ in true }
    },
    UnusualWrapper(
      "one that misses a request that is delivered after the cancellation",
      breaks: [.forwarding],
      says: "before the SDK delivered its request"
    ) { calls in
      let request = Protected<Calls.Request?>(nil)
      return try await withAsyncThrowingValue { completion in
        calls.record(completion).deliver { arrived in request.withLock { $0 = arrived } }
      } onCancel: { _ in
        request.withLock { $0 }?.cancel()
      }
    },
    UnusualWrapper(
      "one that holds a lock while it cancels the SDK",
      breaks: [.noLockHeld],
      says: "a lock that the completion takes"
    ) { calls in
      let lock = NSLock()
      return try await withAsyncThrowingValue { (completion: @escaping Completion) in
        calls.record { result in
          lock.withLock {}
          completion(result)
        }
      } onCancel: { call in
        lock.withLock { call.cancel() }
      }
    },
    UnusualWrapper(
      "one whose timer cancels the SDK again, although timeouts are excepted",
      breaks: [.forwarding],
      says: "the wrapper's timer kept running"
    ) {
      try await checkWrapper(except: [.timeout]) { (calls: Calls, clock) in
        try await withAsyncThrowingValue { (completion: @escaping Completion) in
          calls.record(completion)
        } onCancel: { call in
          call.cancel()
          Task {
            try await clock.sleep(until: clock.now.advanced(by: .seconds(5)))
            call.cancel()
          }
        }
      } success: {
        $0(.success(1))
      }
    },
    UnusualWrapper(
      "one that delivers what came before the cancellation",
      breaks: [.checkAfter],
      except: [.droppedCompletion],
      call: cancelBeforeTheEnd
    ),
    // Waits for the SDK, and delivers what came before the cancellation. Only trials that a hang
    // may leave out notice that.
    UnusualWrapper(
      "one that hangs, which is excepted",
      breaks: [.checkAfter, .lateAnswer],
      except: [.prompt]
    ) { calls in
      try Task.checkCancellation()
      return try await withCancellableThrowingContinuation(whenCancelled: .waitForCallback) {
        (continuation: CancellableContinuation<Int, any Error>) in
        calls.record { result in continuation.resume(with: result) }
      } onCancel: { (call: Calls.Request) in
        call.cancel()
      }
    },
  ]

  /// A wrapper of a listener. `isRemoved` says whether to remove it, from whether the task is
  /// cancelled.
  @Sendable private static func listen(
    to calls: Calls,
    isRemoved: @Sendable (Bool) -> Bool
  ) async throws -> Int {
    let listener = Protected<Calls.Request?>(nil)
    defer { if isRemoved(Task.isCancelled) { listener.withLock { $0 }?.cancel() } }
    return try await withAsyncThrowingValue { completion in
      let made = calls.record(completion)
      listener.withLock { $0 = made }
    }
  }

  /// A wrapper that resumes its own wait when it is cancelled, unless the answer was first.
  @Sendable @concurrent private static func cancelBeforeTheEnd(_ calls: Calls) async throws -> Int {
    try Task.checkCancellation()
    return try await withCancellableThrowingContinuation(whenCancelled: .deliverResult) {
      (continuation: CancellableContinuation<Int, any Error>) in
      let waiting = Protected<CancellableContinuation<Int, any Error>?>(continuation)
      let call = calls.record { result in waiting.withLock { $0.take() }?.resume(with: result) }
      return (call, waiting)
    } onCancel: { (call: Calls.Request, waiting) in
      call.cancel()
      waiting.withLock { $0.take() }?.resume(throwing: CancellationError())
    }
  }
}
