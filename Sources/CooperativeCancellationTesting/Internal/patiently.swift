internal import CooperativeCancellation

/// Waits twice with a limit, and again while the machine is busy.
///
/// The machine is busy if a probe task takes long, too. The probe only goes through each place where a task
/// may queue: a thread, the main actor, the pool. If it gets no turn for five minutes, a thread is blocked, and
/// waiting is pointless.
func patiently<Result>(
  _ wait: () async throws -> Result?
) async rethrows -> Result? {
  for _ in 1...20 {
    if let result = try await wait() { return result }
    let start = Moment.now
    let hasPassed = Observed(false)
    startOnOwnThread {
      await MainActor.run {}
      // Each priority has threads of its own.
      await Task.detached(priority: Task.currentPriority) {}.value
      hasPassed.change { $0 = true }
    }
    let passed: Void? = try? await hasPassed.wait(within: .seconds(300)) { $0 ? () : nil }
    if passed == nil { return nil }
    // The machine may have been busy until a moment ago.
    if start.nanoseconds(to: .now) < 50_000_000 { return try await wait() }
  }
  return nil
}
