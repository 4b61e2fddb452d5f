internal import CooperativeCancellation

/// Waits twice, with a limit; and again as long as the machine is too slow to tell.
///
/// That is, as long as another task takes long, too, which does nothing but go through each place where a wrapper
/// may have to wait for its turn: a thread, the main actor, the pool.
func patiently<Result: Sendable>(
  _ limit: Timeout,
  _ wait: () async -> Result?
) async -> Result? {
  var chances = 2
  for _ in 1...10 where chances > 0 {
    if let result = await wait() { return result }
    let start = Moment.now
    let hasPassed = Observed(false)
    startOnOwnThread {
      await MainActor.run {}
      await Task.detached {}.value
      hasPassed.change { $0 = true }
    }
    _ = try? await hasPassed.wait(within: limit) { $0 ? true : nil }
    if start.nanoseconds(to: .now) < 50_000_000 { chances -= 1 }
  }
  return nil
}
