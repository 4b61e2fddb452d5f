internal import CooperativeCancellation

/// Waits twice, with a limit; and again as long as the machine is too slow to tell, up to a minute.
///
/// That is, as long as another task takes long, too, which does nothing but go through each place where a wrapper
/// may have to wait for its turn: a thread, the main actor, the pool.
func patiently<Result: Sendable>(
  _ wait: () async -> Result?
) async -> Result? {
  var chances = 2
  let end = Moment.now.advanced(by: 60_000_000_000)
  while chances > 0, Moment.now < end {
    if let result = await wait() { return result }
    let start = Moment.now
    let hasPassed = Observed(false)
    startOnOwnThread {
      await MainActor.run {}
      await Task.detached {}.value
      hasPassed.change { $0 = true }
    }
    _ = try? await hasPassed.wait(within: .seconds(60)) { $0 ? true : nil }
    if start.nanoseconds(to: .now) < 50_000_000 { chances -= 1 }
  }
  return nil
}
