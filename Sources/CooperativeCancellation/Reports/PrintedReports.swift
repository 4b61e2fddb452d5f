internal import CancellationInternals

/// The reports that the default handler has printed, so that it prints each one once.
package struct PrintedReports: ~Copyable, Sendable {
  // Few, and an array costs each client less code than a set.
  private let reports = Locked<[RuntimeIssue]>(initially: [])

  package init() {}

  /// Prints a report that was not printed before, with no lock held. If that fails, an equal report is printed later.
  package func printOnce(_ report: RuntimeIssue, by print: (RuntimeIssue) -> Bool) {
    let isNew = reports.locked { reports in
      if reports.contains(report) { return false }
      reports.append(report)
      return true
    }
    if isNew, !print(report) { reports.locked { $0.removeAll { $0 == report } } }
  }
}
