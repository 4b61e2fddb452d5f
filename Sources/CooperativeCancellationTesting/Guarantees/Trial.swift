internal import CooperativeCancellation

/// One call of the wrapper, in a task of its own, with its own fake call.
struct Trial<Completion: Sendable>: Sendable {
  enum End: Sendable {
    case stillRuns
    case returned
    case threw(any Error)
  }

  let fake: FakeCall<Completion>
  let task: Task<Void, Never>
  private let ending = Observed<End>(.stillRuns)
  private let mayStart = Observed(false)
  private let collected = Observed<[MisuseReport]>([])
  private let limit: Timeout

  /// Makes the task, which waits for ``start()``.
  init(
    limit: Timeout,
    _ wrapper: @escaping @Sendable (FakeCall<Completion>) async throws -> Void
  ) {
    self.limit = limit
    (fake, task) = MisuseReport.collector.withValue(collected.collector) { [ending, mayStart] in
      let fake = FakeCall<Completion>()
      let task = startOnOwnThread {
        await mayStart.waitUntil { $0 }
        do {
          try await wrapper(fake)
          ending.change { $0 = .returned }
        } catch {
          ending.change { $0 = .threw(error) }
        }
      }
      return (fake, task)
    }
  }

  var reports: [MisuseReport] { collected.state }

  func start() {
    mayStart.change { $0 = true }
  }

  /// Returns the SDK's next call, if there is one in time.
  func nextCall() async -> FakeCall<Completion>.Request? {
    await patiently { try? await fake.next(within: limit) }
  }

  /// Returns how the call ended, or that it did not end in time.
  func end() async -> End {
    await patiently {
      try? await ending.wait(within: limit) { if case .stillRuns = $0 { nil } else { $0 } }
    } ?? .stillRuns
  }

  /// Whether the SDK is told in time to cancel a call.
  func isForwarded(to request: FakeCall<Completion>.Request) async -> Bool {
    await patiently { try? await request.cancelled(within: limit) } != nil
  }
}
