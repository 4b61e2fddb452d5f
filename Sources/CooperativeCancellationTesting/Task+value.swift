public import CooperativeCancellation

extension Task {
  /// The task's value, if it arrives in time.
  ///
  /// ```swift
  /// let task = Task { try await articles.article(1) }
  /// let request = try await loads.next()
  /// task.cancel()
  /// await #expect(throws: CancellationError.self) { try await task.value(within: .seconds(5)) }
  /// ```
  ///
  /// Unlike `value`, it also ends after the limit and when the test's own task is cancelled. The
  /// task itself continues.
  ///
  /// Throws the task's error; or, if it does not end in time, as
  /// ``FakeCall/next(within:fileID:line:)`` does.
  nonisolated(nonsending) public func value(
    within limit: Timeout = .seconds(10),
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) async throws -> Success {
    let ending = Observed<Result<Success, any Error>?>(nil)
    Task<Void, Never> {
      let result = await result.mapError { $0 as any Error }
      ending.change { $0 = result }
    }
    let callSite = CallSite(fileID: fileID, line: line)
    return try await ending.wait(or: "the task did not end", within: limit, at: callSite) { $0 }
      .get()
  }
}
