import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Foundation

/// Wrappers with a fault that one trial notices, and no other.
extension BrokenWrapper {
  static let ofOneTrial: [BrokenWrapper] = [
    // On a busy machine, another trial notices it, too.
    BrokenWrapper(
      "one that misses a cancellation during the SDK's call",
      breaks: [.prompt, .forwarding]
    ) { book in
      try Task.checkCancellation()
      let hasCalled = Protected(false)
      let task = Protected<Task<Line, any Error>?>(nil)
      let line = try await withTaskCancellationHandler {
        // Made here, so that the handler is there before the SDK is called.
        try await task.withLock { task in
          let inner = Task {
            try await book.line(call: { completion in
              defer { hasCalled.withLock { $0 = true } }
              return book.dial(completion)
            })
          }
          task = inner
          return inner
        }.value
      } onCancel: {
        if hasCalled.withLock({ $0 }) { task.withLock { $0 }?.cancel() }
      }
      if Task.isCancelled { line.hangUp() }
      try Task.checkCancellation()
      return line
    },
    BrokenWrapper(
      "one that calls twice if an error comes after a cancellation",
      breaks: [.lateAnswer]
    ) { book in
      let isCancelled = Protected(false)
      return try await book.line(
        dial: { completion in
          { result in
            completion(result)
            if case .failure = result, isCancelled.withLock({ $0 }) { completion(result) }
          }
        },
        onCancel: { call in
          isCancelled.withLock { $0 = true }
          call.cancel()
        }
      )
    },
    BrokenWrapper(
      "one that throws the error of a call that was cancelled",
      breaks: [.lateAnswer],
      says: ["inside its `cancel()`, with failure"]
    ) { book in
      let lastError = Protected<(any Error)?>(nil)
      do {
        return try await book.line(dial: { completion in
          { result in
            if case .failure(let error) = result { lastError.withLock { $0 = error } }
            completion(result)
          }
        })
      } catch let error as CancellationError {
        throw lastError.withLock { $0 } ?? error
      }
    },
    BrokenWrapper(
      "one that cancels its own task when it times out",
      breaks: [.timeout],
      says: ["it cancelled its task"]
    ) { book in
      do {
        return try await book.line()
      } catch let error as TimeoutError {
        withUnsafeCurrentTask { $0?.cancel() }
        throw error
      }
    },
    BrokenWrapper(
      "one that loses a value after an error",
      breaks: [.nothingLost],
      says: ["came after an error"]
    ) { book in
      try await book.line(dial: { completion in
        let hasFailed = Protected(false)
        return { result in
          if case .failure = result { hasFailed.withLock { $0 = true } }
          if case .success = result, hasFailed.withLock({ $0 }) { return }
          completion(result)
        }
      })
    },
    BrokenWrapper(
      "one that loses the second of two late values",
      breaks: [.nothingLost],
      says: ["came after a cancellation"]
    ) { book in
      let late = Protected<Int?>(nil)
      return try await book.line(
        dial: { completion in
          { result in
            let isLost = late.withLock { late in
              late = late.map { $0 + 1 }
              return late == 2
            }
            if !isLost { completion(result) }
          }
        },
        onCancel: { call in
          late.withLock { $0 = 0 }
          call.cancel()
        }
      )
    },
    BrokenWrapper(
      "one that loses an error inside the call",
      breaks: [.answerInsideCall],
      says: ["reported an error before its method returned"]
    ) { book in
      let isInside = Protected(true)
      return try await book.line(call: { completion in
        defer { isInside.withLock { $0 = false } }
        return book.dial { result in
          if case .failure = result, isInside.withLock({ $0 }) { return }
          completion(result)
        }
      })
    },
    BrokenWrapper(
      "one that calls the SDK twice",
      breaks: [.answer],
      says: ["was called 2 times instead of once"]
    ) { book in
      try await book.line(call: { completion in
        defer { _ = book.dial { try? $0.get().hangUp() } }
        return book.dial(completion)
      })
    },
    BrokenWrapper(
      "one that cancels the SDK after its error",
      breaks: [.error],
      says: ["told to cancel once instead of never"]
    ) { book in
      let call = Protected<PhoneBook.Call?>(nil)
      do {
        return try await book.line(call: { completion in
          let made = book.dial(completion)
          call.withLock { $0 = made }
          return made
        })
      } catch SDKError.failed {
        call.withLock { $0 }?.cancel()
        throw SDKError.failed
      }
    },
    BrokenWrapper(
      "one that loses a value after a timeout",
      breaks: [.nothingLost],
      says: ["came after a timeout"]
    ) { book in
      let isTimedOut = Protected(false)
      do {
        return try await book.line(onDiscard: { line in
          if !isTimedOut.withLock({ $0 }) { line.hangUp() }
        })
      } catch let error as TimeoutError {
        isTimedOut.withLock { $0 = true }
        throw error
      }
    },
    BrokenWrapper(
      "one that loses a value if the cancellation comes right after it",
      breaks: [.nothingLost],
      says: ["came before a cancellation"]
    ) { book in
      let answers = Protected<[Line?]>([])
      return try await book.line(
        dial: { completion in
          { result in
            let isInterrupted =
              Task.isCancelled || book.calls[1].map { $0.cancelCount > 0 } ?? false
            answers.withLock { $0.append(isInterrupted ? nil : try? result.get()) }
            completion(result)
          }
        },
        onDiscard: { line in if line !== answers.withLock({ $0[0] }) { line.hangUp() } }
      )
    },
    BrokenWrapper(
      "one that checks again after its bridge, and cannot tell the SDK then",
      breaks: [.forwarding],
      says: ["and the value was not delivered", "keep the cancellation handler active until"]
    ) { book in
      try Task.checkCancellation()
      let line = try await withCancellableThrowingContinuation(timeout: book.timeout) {
        (continuation: CancellableContinuation<Line, any Error>) in
        book.dial { result in continuation.resume(with: result) }
      } onCancel: { (call: PhoneBook.Call) in
        call.cancel()
      } onDiscard: { line in
        line.hangUp()
      }
      if Task.isCancelled { line.hangUp() }
      try Task.checkCancellation()
      return line
    },
    BrokenWrapper(
      "one that does not tell the SDK that a value from inside the call is withheld",
      breaks: [.forwarding],
      says: ["after the SDK had answered inside the call, and the value was not delivered"]
    ) { book in
      try await book.lineThatForgetsToTell { isInsideCall in isInsideCall }
    },
    BrokenWrapper(
      "one that does not tell the SDK that a value from outside the call is withheld",
      breaks: [.forwarding],
      says: ["after the SDK had answered, and the value was not delivered"]
    ) { book in
      try await book.lineThatForgetsToTell { isInsideCall in !isInsideCall }
    },
  ]
}

extension PhoneBook {
  /// Does not forward a cancellation that comes after certain answers.
  fileprivate func lineThatForgetsToTell(
    afterAnswer isForgotten: @escaping @Sendable (_ isInsideCall: Bool) -> Bool
  ) async throws -> Line {
    let isInside = Protected(true)
    let isCancelled = Protected(false)
    let forgets = Protected(false)
    return try await withTaskCancellationHandler {
      try await line(
        call: { completion in
          defer { isInside.withLock { $0 = false } }
          return dial { result in
            if isForgotten(isInside.withLock { $0 }), !isCancelled.withLock({ $0 }) {
              forgets.withLock { $0 = true }
            }
            completion(result)
          }
        },
        onCancel: { call in if !forgets.withLock({ $0 }) { call.cancel() } }
      )
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }
}
