import CooperativeCancellation
import Testing

private let calls = tries(100_000)

@Suite("Many timeouts", .watchdog) struct ManyTimeoutsTests {
  @Test func `timeouts that are due within one second all come, each once and none early`() async {
    // A process of its own, because other tests keep the threads of the pool.
    await #expect(processExitsWith: .success) {
      // When the first one is due, all are waiting. Not a group: it takes quadratic time for so
      // many.
      let second = ContinuousClock.now.advanced(by: .seconds(1))
      let tasks = (0..<calls).map { _ in
        let end = second.advanced(by: .nanoseconds(.random(in: 1...1_000_000_000)))
        return Task { await Self.lateness(of: ContinuousClock.now.duration(to: end)) }
      }
      for task in tasks {
        let late = await task.value
        #expect(late ?? .seconds(-1) >= .zero)
      }
    }
  }

  /// Also in a debug build, where the test above has few calls, and rarely many in one ring.
  @Test(arguments: [1, 40, 41, 64, 65, 500])
  func `calls that are due at the same moment all time out`(calls: Int) async {
    let end = Moment.now.advanced(by: 20_000_000)
    let waits = (0..<calls).map { _ in Wait(response: .abandonCallback) }
    for wait in waits { _ = Deadlines.all.add(wait, until: end) }
    for wait in waits {
      while wait.machine.hasNoEvent { await Task.yield() }
      #expect(Moment.now.nanoseconds(to: end) <= 0)
    }
  }

  /// How late a call times out if its SDK never answers.
  private static func lateness(of timeout: Duration) async -> Duration? {
    let start = ContinuousClock.now
    do {
      _ = try await withAsyncThrowingValue(timeout: Timeout(timeout)) {
        (completion: @escaping PatientSDK.Completion) in
        completion  // Returned, and so kept until the wait ends.
      }
      return nil
    } catch {
      return error is TimeoutError ? start.duration(to: .now) - timeout : nil
    }
  }
}
