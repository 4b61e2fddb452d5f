internal import CancellationInternals

/// The reports that the default handler has printed, so that it prints each one once.
package struct PrintedReports: ~Copyable, Sendable {
  // Few, and an array of texts costs each client less code than a set of reports.
  private let lines = Locked<[String]>(initially: [])
  /// Returns whether it printed the line. Kept, because the compiler would copy a function that has
  /// it as a parameter.
  private let print: @Sendable (String) -> Bool

  package init(by print: @escaping @Sendable (String) -> Bool) { self.print = print }

  /// Prints a report that was not printed before, with no lock held. If that fails, an equal report
  /// is printed later.
  package func printOnce(_ report: RuntimeIssue) {
    let line = "\(report)"
    let isNew = lines.locked { lines in
      if lines.contains(line) { return false }
      lines.append(line)
      return true
    }
    if isNew, !print(line) { lines.locked { $0 = $0.filter { $0 != line } } }
  }
}
