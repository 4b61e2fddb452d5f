internal import CooperativeCancellation

/// Waits with a limit, and gives up after five waits in a row on a machine that is not busy: the awaited event may need
/// several turns.
///
/// The machine is busy if a probe task after a wait also takes long. This function also gives up if a probe does not
/// pass.
func patiently<Result>(
  _ wait: () async throws -> Result?
) async rethrows -> Result? {
  let start = Moment.now
  var quickProbes = 0
  var result = try await wait()
  while result == nil, quickProbes < 5, start.nanoseconds(to: .now) < probeLimit {
    let probeStart = Moment.now
    let passes = await passEveryQueue {
      result = (try? await wait()) ?? nil
      return result != nil
    }
    if !passes { break }
    quickProbes = probeStart.nanoseconds(to: .now) < 50_000_000 ? quickProbes + 1 : 0
    if quickProbes < 5 { result = try await wait() }
  }
  return result
}

private let probeLimit: Int64 = 300_000_000_000

/// The last probe that was abandoned, and whether it has passed since. Until it does, no other could pass either.
let stuckProbe = Observed<Observed<Bool>?>(nil)

/// Runs a task that only passes through each place where a task may queue: a thread, the main actor, the pool. Returns
/// whether it passes. Gives up if the caller's wait `isOver`, because that wait may be what blocks the others.
///
/// A probe that does not pass is late or blocked. While one is late, this process uses processor time, even if only a
/// little. So the probe is blocked after six seconds without any, or else after five minutes.
func passEveryQueue(orUntil isOver: () async -> Bool = { false }) async -> Bool {
  if stuckProbe.state?.state == false { return false }
  let hasPassed = Observed(false)
  startOnOwnThread {
    await MainActor.run {}
    // Each priority has threads of its own.
    await Task.detached(priority: Task.currentPriority) {}.value
    hasPassed.change { $0 = true }
  }
  let start = Moment.now
  var idleSeconds = 0
  while idleSeconds < 6, start.nanoseconds(to: .now) < probeLimit {
    let before = processorTime()
    let passes = try? await hasPassed.wait(within: .seconds(1)) { $0 ? true : nil } ?? false
    // `nil`, in a test that is cancelled.
    guard let passes, !passes else { return passes == true }
    idleSeconds = processorTime() - before < 0.02 ? idleSeconds + 1 : 0
    if await isOver() { return false }
  }
  stuckProbe.change { $0 = hasPassed }
  return false
}

/// Lets enqueued work run, even if it enqueues more work.
func letOthersRun() async {
  for _ in 1...3 { _ = await passEveryQueue() }
}
