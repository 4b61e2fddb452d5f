/// One refresh for many callers: an actor that keeps the task. A caller cannot leave, nor be timed
/// out.
actor HandWrittenRefresh {
  private var task: Task<Int, any Error>?

  func value(_ refresh: @escaping @Sendable () async throws -> Int) async throws -> Int {
    if let task { return try await task.value }
    let task = Task { try await refresh() }
    self.task = task
    defer { self.task = nil }
    return try await task.value
  }
}
