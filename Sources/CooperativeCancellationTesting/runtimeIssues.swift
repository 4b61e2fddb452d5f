public import CooperativeCancellation

/// Runs a test's code, and returns the issues that it caused, in order.
///
/// ```swift
/// let reports = try await runtimeIssues {
///   let task = Task { try await articles.article(1) }
///   let request = try await loads.next()
///   request.answer { $0(.success(article)) }
///   request.answer { $0(.success(article)) }
///   _ = try await task.value(within: .seconds(5))
/// }
/// #expect(reports.map(\.kind) == [.completionCalledAgain])
/// ```
///
/// These do not reach `RuntimeIssue.handler`, so tests can run in parallel. They include what
/// happens in `body`, in tasks that it starts with `Task { … }`, and in completions that a
/// ``FakeCall`` calls or drops on any thread. Reports from an SDK's own threads still go to the
/// handler. `body` runs once, on the caller's actor.
nonisolated(nonsending) public func runtimeIssues(
  during body: () async throws -> Void
) async rethrows -> [RuntimeIssue] {
  let reports = Observed<[RuntimeIssue]>([])
  try await RuntimeIssue.collector.withValue(reports.collector) { try await body() }
  return reports.state
}

extension Observed<[RuntimeIssue]> {
  /// Collects each report.
  var collector: RuntimeIssue.Handler {
    RuntimeIssue.Handler { report in self.change { $0.append(report) } }
  }
}
