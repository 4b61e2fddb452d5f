internal import CooperativeCancellation

/// Waits with a limit, and gives up after five waits in a row on a machine that is not busy: what is waited for may
/// need several turns.
///
/// The machine is busy if a probe task takes long after a wait, too. It gives up as well if a probe does not pass.
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

/// The last probe that was given up, and whether it has passed after all. Before that, another could not pass either.
let stuckProbe = Observed<Observed<Bool>?>(nil)

/// Runs a task that only goes through each place where a task may queue: a thread, the main actor, the pool. Returns
/// whether it passes, or gives up if the caller's wait `isOver`, which may be what blocks the others.
///
/// What does not pass is late or blocked. If it is late, this process computes, even if it gets only a small part of the
/// processors. So after six seconds without that, it is blocked; if it computes all the time, after five minutes.
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

/// Gives what is enqueued its turn, even if it enqueues something else.
func letOthersRun() async {
  for _ in 1...3 { _ = await passEveryQueue() }
}
