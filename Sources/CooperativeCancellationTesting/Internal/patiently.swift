internal import CooperativeCancellation

/// Waits with a limit, and gives up after five waits in a row on a machine that is not busy: what is waited for may
/// need several turns.
///
/// The machine is busy if a probe task takes long after a wait, too. After five minutes, a thread is blocked or the
/// machine does not come to rest, and waiting is pointless.
func patiently<Result>(
  _ wait: () async throws -> Result?
) async rethrows -> Result? {
  let start = Moment.now
  var quickProbes = 0
  repeat {
    if let result = try await wait() { return result }
    let probeStart = Moment.now
    guard await passEveryQueue(within: .seconds(300)) else { return nil }
    quickProbes = probeStart.nanoseconds(to: .now) < 50_000_000 ? quickProbes + 1 : 0
  } while quickProbes < 5 && start.nanoseconds(to: .now) < 300_000_000_000
  return nil
}

/// Runs a task that only goes through each place where a task may queue: a thread, the main actor, the pool. Returns
/// whether it does in time.
func passEveryQueue(within limit: Timeout) async -> Bool {
  let hasPassed = Observed(false)
  startOnOwnThread {
    await MainActor.run {}
    // Each priority has threads of its own.
    await Task.detached(priority: Task.currentPriority) {}.value
    hasPassed.change { $0 = true }
  }
  return (try? await hasPassed.wait(within: limit) { $0 ? () : nil }) != nil
}
