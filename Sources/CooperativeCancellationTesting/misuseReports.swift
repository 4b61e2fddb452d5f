public import CooperativeCancellation

/// Runs a test's code, and returns the misuse reports that it caused, in order.
///
/// ```swift
/// let reports = try await misuseReports {
///   let task = Task { try await articles.article(1) }
///   let request = try await loads.next()
///   request.answer { $0(.success(article)) }
///   request.answer { $0(.success(article)) }
///   _ = try await task.value(within: .seconds(5))
/// }
/// #expect(reports.map(\.kind) == [.completionCalledAgain])
/// ```
///
/// These reports do not reach `MisuseReport.handler`, so tests can run in parallel. They include what happens
/// in `body`, in tasks that it starts with `Task { … }`, and in completions that a ``FakeCall`` calls or
/// drops on any thread. Reports from an SDK's own threads still go to the handler.
///
/// - Parameter body: Runs once, on the caller's actor.
nonisolated(nonsending) public func misuseReports(
  during body: () async throws -> Void
) async rethrows -> [MisuseReport] {
  let reports = Observed<[MisuseReport]>([])
  try await MisuseReport.collector.withValue(reports.collector) {
    try await body()
  }
  return reports.state
}

extension Observed<[MisuseReport]> {
  /// Collects each report.
  var collector: MisuseReport.Handler {
    MisuseReport.Handler { report in self.change { $0.append(report) } }
  }
}
