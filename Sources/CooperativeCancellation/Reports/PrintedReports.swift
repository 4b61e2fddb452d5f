internal import CancellationInternals

/// The reports that the default handler has printed, so that it prints each one once.
package struct PrintedReports: ~Copyable, Sendable {
  private let reports = Locked<Set<RuntimeIssue>>(initially: [])

  package init() {}

  /// Prints a report that was not printed before, with no lock held. If that fails, an equal report is printed later.
  package func printOnce(_ report: RuntimeIssue, by print: (RuntimeIssue) -> Bool) {
    guard reports.locked({ $0.insert(report).inserted }) else { return }
    if !print(report) { _ = reports.locked { $0.remove(report) } }
  }
}
