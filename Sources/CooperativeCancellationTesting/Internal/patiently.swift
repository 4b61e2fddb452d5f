internal import CooperativeCancellation

/// Waits with a limit, and gives up after three waits in a row on a machine that is not busy: what is waited for may
/// need several turns.
///
/// The machine is busy if a probe task takes long, too. The probe only goes through each place where a task may queue:
/// a thread, the main actor, the pool. If it gets no turn for five minutes, a thread is blocked, and waiting is
/// pointless.
func patiently<Result>(
  _ wait: () async throws -> Result?
) async rethrows -> Result? {
  var quickProbes = 0
  for _ in 1...20 {
    if let result = try await wait() { return result }
    if quickProbes == 2 { return nil }
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
    quickProbes = start.nanoseconds(to: .now) < 50_000_000 ? quickProbes + 1 : 0
  }
  return nil
}
