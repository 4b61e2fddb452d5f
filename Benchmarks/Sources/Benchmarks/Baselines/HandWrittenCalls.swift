import Synchronization

/// Continuations in a dictionary, by the id of their answer, as one writes it with care: the entry is there before
/// the request is sent, a cancellation removes it and resumes, and so does the end of the connection.
///
/// What it still lacks: a timeout, ids that the call itself returns, a cancellation that is forwarded on the
/// caller's actor, and a value that comes late is lost.
final class HandWrittenCalls: Sendable {
  struct IsTaken: Error {}

  private struct State {
    var continuations: [Int: CheckedContinuation<Int, any Error>] = [:]
    var end: (any Error)?
  }

  private let state = Mutex(State())

  func value(for id: Int, send: () -> Void) async throws -> Int {
    try Task.checkCancellation()
    let value = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        do {
          try add(continuation, for: id)
        } catch {
          return continuation.resume(throwing: error)
        }
        // A cancellation that came before the entry has not found it.
        if Task.isCancelled { return cancel(id) }
        send()
      }
    } onCancel: {
      cancel(id)
    }
    try Task.checkCancellation()
    return value
  }

  private func add(_ continuation: CheckedContinuation<Int, any Error>, for id: Int) throws {
    try state.withLock { state in
      if let end = state.end { throw end }
      if state.continuations[id] != nil { throw IsTaken() }
      state.continuations[id] = continuation
    }
  }

  @discardableResult
  func resume(_ id: Int, returning value: Int) -> Bool {
    guard let continuation = take(id) else { return false }
    continuation.resume(returning: value)
    return true
  }

  private func cancel(_ id: Int) {
    take(id)?.resume(throwing: CancellationError())
  }

  private func take(_ id: Int) -> CheckedContinuation<Int, any Error>? {
    state.withLock { $0.continuations.removeValue(forKey: id) }
  }

  func close(throwing error: any Error) {
    let continuations = state.withLock { state in
      if state.end == nil { state.end = error }
      let all = state.continuations
      state.continuations = [:]
      return all.values
    }
    for continuation in continuations { continuation.resume(throwing: error) }
  }
}
