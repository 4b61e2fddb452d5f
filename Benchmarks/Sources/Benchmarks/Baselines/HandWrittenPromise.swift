import Synchronization

/// A promise that is written by hand: a value for all who wait, each of whom can be cancelled.
///
/// It is kept for one type, nobody learns of a promise that is never kept, and a wait has no
/// timeout.
final class HandWrittenPromise: Sendable {
  private struct State {
    var value: Int?
    var lastNumber = 0
    var waiting: [Int: CheckedContinuation<Int, any Error>] = [:]
  }

  private let state = Mutex(State())

  func value() async throws -> Int {
    try Task.checkCancellation()
    let (value, number) = state.withLock { state in
      state.lastNumber += 1
      return (state.value, state.lastNumber)
    }
    if let value { return value }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let value: Int? = state.withLock { state in
          if state.value == nil { state.waiting[number] = continuation }
          return state.value
        }
        if let value { continuation.resume(returning: value) }
        // The handler may have run before the continuation was there.
        if Task.isCancelled { cancel(number) }
      }
    } onCancel: {
      cancel(number)
    }
  }

  func keep(_ value: Int) {
    let waiting = state.withLock { state in
      state.value = value
      defer { state.waiting = [:] }
      return state.waiting
    }
    for continuation in waiting.values { continuation.resume(returning: value) }
  }

  private func cancel(_ number: Int) {
    state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(throwing: CancellationError())
  }
}
