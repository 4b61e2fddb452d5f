import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Foundation
import Testing

/// A wrong wrapper, and the guarantees that it breaks.
struct BrokenWrapper: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let guarantees: [WrapperGuarantee]
  /// Words of the report.
  let words: [String]
  let call: @Sendable (PhoneBook) async throws -> Line

  init(
    _ description: String,
    breaks guarantees: [WrapperGuarantee],
    says words: [String] = [],
    call: @escaping @Sendable (PhoneBook) async throws -> Line
  ) {
    testDescription = description
    self.guarantees = guarantees
    self.words = words
    self.call = call
  }

  static let all = ofEveryTrial + ofOneTrial

  private static let ofEveryTrial: [BrokenWrapper] = [
    BrokenWrapper(
      "the circulating helper",
      breaks: [.prompt, .forwarding, .timeout, .droppedCompletion]
    ) { book in
      try await withCheckedThrowingContinuation { continuation in
        guard !Task.isCancelled else {
          return continuation.resume(throwing: CancellationError())
        }
        _ = book.dial { result in
          guard !Task.isCancelled else {
            return continuation.resume(throwing: CancellationError())
          }
          continuation.resume(with: result)
        }
      }
    },
    BrokenWrapper("one that forgets onCancel", breaks: [.forwarding, .timeout]) { book in
      try await book.line(onCancel: { _ in })
    },
    BrokenWrapper("one that drops on a path", breaks: [.error]) { book in
      try await book.line(dial: { completion in
        { if case .success = $0 { completion($0) } }
      })
    },
    BrokenWrapper(
      "one that calls twice",
      breaks: [.oneAnswer],
      says: ["once, with success", "once, with an error"]
    ) { book in
      try await book.line(dial: { completion in
        { result in
          completion(result)
          completion(.failure(SDKError.failed))
        }
      })
    },
    BrokenWrapper("one that loses the late value", breaks: [.nothingLost]) { book in
      try await book.line(onDiscard: { _ in })
    },
    // The slot is empty while the SDK's method runs.
    BrokenWrapper(
      "one that keeps the continuation in a slot",
      breaks: [.answerInsideCall, .checkBefore, .prompt, .forwarding, .timeout, .droppedCompletion]
    ) { book in
      let slot = Protected<CheckedContinuation<Line, any Error>?>(nil)
      let isFull = DispatchSemaphore(value: 0)
      return try await withCheckedThrowingContinuation { continuation in
        let caller = ObjectIdentifier(Thread.current)
        _ = book.dial { result in
          // Elsewhere, an answer would also be lost, but only if its thread is fast enough.
          if ObjectIdentifier(Thread.current) != caller {
            isFull.wait()
            isFull.signal()
          }
          slot.withLock { $0.take() }?.resume(with: result)
        }
        slot.withLock { $0 = continuation }
        isFull.signal()
      }
    },
    BrokenWrapper(
      "one that is careful, and cancels in the runtime's handler",
      breaks: [.timeout, .checkAfter, .nothingLost, .noLockHeld]
    ) { book in
      try Task.checkCancellation()
      let call = Protected<(once: Weak, request: PhoneBook.Call)?>(nil)
      @Sendable func cancel() {
        guard let (once, request) = call.withLock({ $0.take() }) else { return }
        request.cancel()
        once.once?.resume(.failure(CancellationError()))
      }
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          let once = Once(continuation)
          let request = book.dial { once.resume($0) }
          call.withLock { $0 = (Weak(once: once), request) }
          if Task.isCancelled { cancel() }
        }
      } onCancel: {
        cancel()
      }
    },
    BrokenWrapper(
      "one that takes every error for a cancellation",
      breaks: [.error, .timeout, .droppedCompletion]
    ) { book in
      do {
        return try await book.line()
      } catch {
        throw CancellationError()
      }
    },
    BrokenWrapper(
      "one that throws another error for a cancellation",
      breaks: [.checkBefore, .prompt, .checkAfter]
    ) { book in
      do {
        return try await book.line()
      } catch is CancellationError {
        throw SDKError.cancelled
      }
    },
    BrokenWrapper(
      "one that tells the SDK twice, and discards twice",
      breaks: [.forwarding, .timeout, .nothingLost],
      says: ["was told to cancel 2 times instead of once", "was discarded more than once"]
    ) { book in
      try await book.line(
        onCancel: { for _ in 0..<2 { $0.cancel() } },
        onDiscard: { for _ in 0..<2 { $0.hangUp() } }
      )
    },
    BrokenWrapper("one that loses the value of a second answer", breaks: [.nothingLost]) { book in
      try await book.line(dial: { completion in
        let answers = LiveCount()
        return { result in
          answers.increment()
          if answers.count == 1 { completion(result) }
        }
      })
    },
    BrokenWrapper(
      "one that blocks its thread",
      breaks: [.prompt, .forwarding, .timeout, .droppedCompletion]
    ) { book in
      try Task.checkCancellation()
      let answer = Protected<Result<Line, any Error>?>(nil)
      let gate = Gate()
      _ = book.dial { result in
        answer.withLock { $0 = result }
        gate.open()
      }
      gate.pass()
      return try answer.withLock { $0 }?.get() ?? { throw SDKError.failed }()
    },
    BrokenWrapper("one that does not call the SDK", breaks: [.answer]) { _ in
      throw SDKError.failed
    },
  ]
}

private struct Weak {
  weak var once: Once?
}

/// Resumes a continuation once, even if nothing else resumes it.
private final class Once: Sendable {
  private let continuation: Protected<CheckedContinuation<Line, any Error>?>

  init(_ continuation: CheckedContinuation<Line, any Error>) {
    self.continuation = Protected(continuation)
  }

  func resume(_ result: Result<Line, any Error>) {
    continuation.withLock { $0.take() }?.resume(with: result)
  }

  deinit { resume(.failure(SDKError.failed)) }
}
