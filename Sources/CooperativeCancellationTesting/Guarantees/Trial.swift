internal import CooperativeCancellation

/// One call of the wrapper, in a task of its own, with its own fake call.
struct Trial<Completion: Sendable>: Sendable {
  /// `nil` while the call still runs.
  typealias End = Result<Void, any Error>?

  typealias Call = WrapperCheck<Completion>.Call

  let fake: FakeCall<Completion>
  let call: Call
  let task: Task<Void, Never>
  private let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let ending = Observed<End>(nil)
  private let mayStart = Observed(false)
  private let collected: Observed<[RuntimeIssue]>
  private let limit: Timeout

  /// Makes the task, which waits for ``start()``. With another trial, it calls the same fake, and
  /// the same wrapper.
  init(limit: Timeout, beside other: Trial? = nil, _ call: Call) {
    self.limit = limit
    self.call = call
    let collected = other?.collected ?? Observed([])
    self.collected = collected
    (fake, (task, enqueue)) = RuntimeIssue.collector.withValue(collected.collector) {
      [ending, mayStart] in
      let fake = other?.fake ?? FakeCall<Completion>()
      let started = startOnOwnThread {
        await mayStart.waitUntil { $0 }
        try await call.run(fake)
      } then: { result in
        ending.change { $0 = result }
      }
      return (fake, started)
    }
  }

  var reports: [RuntimeIssue] { collected.state }

  /// Whether it threw `CancellationError`.
  var isCancelled: Bool {
    if case .failure(is CancellationError) = ending.state { true } else { false }
  }

  var hasEnded: Bool { ending.state != nil }

  func start() { mayStart.change { $0 = true } }

  /// Returns the SDK's next call, if there is one in time, when the wrapper is probably asleep.
  func nextCall() async -> FakeCall<Completion>.Request? {
    guard let request = try? await fake.next(within: limit) else { return nil }
    await letRun()
    return request
  }

  /// Runs `body` while the task's thread is held. Returns `false` if the wrapper blocks it.
  @discardableResult
  func whileHeld(_ body: @escaping @Sendable () -> Void = {}) async -> Bool {
    let hasRun = Observed(false)
    enqueue {
      body()
      hasRun.change { $0 = true }
    }
    return await patiently { try? await hasRun.wait(within: limit) { $0 ? $0 : nil } } != nil
  }

  /// Lets the wrapper run, on its thread and elsewhere.
  func letRun() async {
    for _ in 1...3 where await whileHeld() { _ = await passEveryQueue() }
  }

  /// Returns the SDK's next call, unless the wrapper lets it wait for something, such as its turn.
  ///
  /// That it waits cannot be seen, only that it does nothing: fifty times, everything that is ready
  /// has run, and there is no call. On a busy machine, this takes at most twenty seconds.
  func nextCallSoon() async -> FakeCall<Completion>.Request? {
    let start = Moment.now
    var passes = 0
    while passes < 50, start.nanoseconds(to: .now) < 20_000_000_000 {
      if let request = fake.nextRecorded() {
        await letRun()
        return request
      }
      let passStart = Moment.now
      guard await whileHeld() else { return nil }
      _ = await passEveryQueue()
      // A slow pass shows that the machine is busy, not that the wrapper waits.
      if passStart.nanoseconds(to: .now) < 50_000_000 { passes += 1 }
    }
    return nil
  }

  /// Returns how the call ended, or that it did not end in time.
  func end() async -> End { await patiently { try? await ending.wait(within: limit) { $0 } } }

  /// Whether the SDK is told in time to cancel a call.
  func isForwarded(to request: FakeCall<Completion>.Request) async -> Bool {
    (try? await request.cancelled(within: limit)) != nil
  }
}
