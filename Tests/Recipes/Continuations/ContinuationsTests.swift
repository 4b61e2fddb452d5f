import CooperativeCancellation
import CooperativeCancellationTesting
import Testing

@Suite("A pool, a lock, a queue", .serialized) struct ContinuationsTests {
  @Test(arguments: [false, true])
  func `a cancelled task gets nothing, whether it would have to wait or not`(isTaken: Bool)
    async throws
  {
    let (pool, lock, queue) = (Pool(), Lock(), Queue<Int>())
    if isTaken {
      _ = try await pool.take()
      try await lock.lock()
    } else {
      await queue.add(1)
    }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await #expect(throws: CancellationError.self) { try await pool.take() }
      await #expect(throws: CancellationError.self) { try await lock.lock() }
      await #expect(throws: CancellationError.self) { try await queue.next() }
    }
    try await task.value(within: .seconds(10))
  }
}
