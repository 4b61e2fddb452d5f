internal import CooperativeCancellation

/// Waits with a limit; gives up after five in a row on a machine that is not busy: the event may
/// need more turns.
///
/// The machine is busy if a probe task after a wait also takes long. If that goes on for five
/// minutes, this function gives up, too, and counts that in ``busyWaits``: nothing can be concluded
/// from such a wait.
func patiently<Result>(_ wait: () async throws -> Result?) async rethrows -> Result? {
  let start = Moment.now
  var quickProbes = 0
  var result = try await wait()
  while result == nil, quickProbes < 5 {
    if start.nanoseconds(to: .now) > probeLimit {
      busyWaits.change { $0 += 1 }
      return nil
    }
    let probeStart = Moment.now
    _ = await passEveryQueue {
      result = (try? await wait()) ?? nil
      return result != nil
    }
    quickProbes = probeStart.nanoseconds(to: .now) < 50_000_000 ? quickProbes + 1 : 0
    if result == nil, quickProbes < 5 { result = try await wait() }
  }
  return result
}

/// How many waits ended because the machine was too busy.
let busyWaits = Observed(0)

private let probeLimit: Int64 = 300_000_000_000

/// The last abandoned probe, and whether it has passed. Until then, none can, and only a sleep
/// shows a busy machine.
let stuckProbe = Observed<Observed<Bool>?>(nil)

/// Runs a task that only passes through each place where a task may queue: a thread, the main
/// actor, the pool. Returns whether it passes. Gives up if the caller's wait `isOver`, because that
/// wait may be what blocks the others.
///
/// A late probe is blocked if this process, woken on time, used no processor time for six seconds.
func passEveryQueue(orUntil isOver: () async -> Bool = { false }) async -> Bool {
  let hasPassed = Observed(false)
  if stuckProbe.state?.state == false {
    _ = try? await hasPassed.wait(within: .milliseconds(10)) { $0 ? true : nil }
    return false
  }
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
    let second = Moment.now
    let passes = try? await hasPassed.wait(within: .seconds(1)) { $0 ? true : nil } ?? false
    // `nil`, in a test that is cancelled.
    guard let passes, !passes else { return passes == true }
    let isOnTime = second.nanoseconds(to: .now) < 1_250_000_000
    idleSeconds = isOnTime && processorTime() - before < 0.02 ? idleSeconds + 1 : 0
    if await isOver() { return false }
  }
  if idleSeconds == 6 { stuckProbe.change { $0 = hasPassed } }
  return false
}

/// Lets enqueued work run, even if it enqueues more work.
func letOthersRun() async {
  for _ in 1...3 { _ = await passEveryQueue() }
}
