package import CooperativeCancellation

/// A state under a lock, and tasks that wait until it is as they want it.
package final class Observed<State: Sendable>: Sendable {
  /// Looks at the state, and returns what to do after unlocking if it is as the task wants it.
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
    contents = Locked(initially: Contents(state: state))
  }

  package var state: State { contents.locked { $0.state } }

  /// Changes the state. What is taken out of it is released after unlocking.
  @discardableResult
  package func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let (result, wakeUps) = contents.extract { contents in
      let result = body(&contents.state)
      return (result, contents.looks.isEmpty ? [] : contents.satisfied())
    }
    for wake in wakeUps { wake() }
    return result
  }

  /// Waits until `ready` returns something, which it is asked under the lock, now and after each change.
  ///
  /// Throws `TimeoutError`, or `CancellationError`. The wait ends by the library's own timer, so no thread of
  /// the pool need be free for the time to pass.
  package nonisolated(nonsending) func wait<Output: Sendable>(
    within limit: Timeout,
    until ready: @escaping @Sendable (inout State) -> Output?
  ) async throws -> Output {
    try await withAsyncThrowingValue(timeout: limit) { completion in
      add { state in
        ready(&state).map { output in { completion(.success(output)) } }
      }
    } onCancel: { number in
      _ = contents.extract { $0.looks.removeValue(forKey: number) }
    }
  }

  /// Looks at the state now and after each change, until it is as the task wants it.
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
