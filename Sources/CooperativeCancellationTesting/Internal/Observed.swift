internal import CancellationInternals
package import CooperativeCancellation

/// A state under a lock, and tasks that wait for it to change.
package final class Observed<State: Sendable>: Sendable {
  /// Looks at the state. Returns what to do after unlocking if the wait is over.
  private typealias Look = @Sendable (inout State) -> (@Sendable () -> Void)?

  private struct Contents: Sendable {
    var state: State
    var looks: [Int: Look] = [:]
    var lookCount = 0

    mutating func satisfied() -> [@Sendable () -> Void] {
      looks.sorted { $0.key < $1.key }.compactMap { number, look in
        guard let wake = look(&state) else { return nil }
        looks[number] = nil
        return wake
      }
    }
  }

  private let contents: Locked<Contents>

  package init(_ state: State) {
    // Here, because everything in the test kit that waits, or that something waits for, has one.
    _ = startedEnvironmentLimits
    contents = Locked(initially: Contents(state: state))
  }

  package var state: State { contents.locked { $0.state } }

  /// Changes the state. Removed values are released after unlocking.
  @discardableResult
  package func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let (result, wakeUps) = contents.extract { contents in
      let result = body(&contents.state)
      return (result, contents.looks.isEmpty ? [] : contents.satisfied())
    }
    for wake in wakeUps { wake() }
    return result
  }

  /// Waits until `ready` returns a value. Calls it under the lock, now and after each change.
  ///
  /// Returns `nil` after the limit, for which it needs no free thread in the pool. Throws
  /// `CancellationError`.
  package nonisolated(nonsending) func wait<Output: Sendable>(
    within limit: Timeout,
    until ready: @escaping @Sendable (inout State) -> Output?
  ) async throws -> Output? {
    do {
      // What `ready` has taken out of the state is delivered, even after the limit.
      return try await withAsyncThrowingValue(whenCancelled: .deliverResult, timeout: limit) {
        completion in
        add { state in
          ready(&state).map { output in { completion(.success(output)) } }
        }
      } onCancel: { number in
        _ = contents.extract { $0.looks.removeValue(forKey: number) }
      }
    } catch is TimeoutError {
      return nil
    } catch is DroppedCompletionError {
      // `onCancel` has removed the look, and with it the completion.
      try Task.checkCancellation()
      return nil
    }
  }

  /// Waits for a condition, even in a cancelled task. Calls it under the lock, now and after each
  /// change.
  package nonisolated(nonsending) func waitUntil(
    _ isReady: @escaping @Sendable (State) -> Bool
  ) async {
    await withAsyncValue { completion in
      _ = add { isReady($0) ? completion : nil }
    }
  }

  /// Looks at the state now and after each change, until the wait is over.
  private func add(_ look: @escaping Look) -> Int {
    let (number, wake) = contents.locked { contents in
      contents.lookCount += 1
      let wake = look(&contents.state)
      if wake == nil { contents.looks[contents.lookCount] = look }
      return (contents.lookCount, wake)
    }
    wake?()
    return number
  }
}
