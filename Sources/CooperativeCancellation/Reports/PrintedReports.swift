/// What the default handler has printed, so that it prints each report once.
package struct PrintedReports: ~Copyable, Sendable {
  private let reports = Locked<Set<MisuseReport>>(initially: [])

  package init() {}

  /// Prints a report, unless it was printed before or is being printed.
  ///
  /// - Parameter print: Returns whether it could be printed; if not, the next one like it is tried again. Runs
  ///   with no lock held.
  package func printOnce(_ report: MisuseReport, by print: (MisuseReport) -> Bool) {
    guard reports.locked({ $0.insert(report).inserted }) else { return }
    if !print(report) { _ = reports.locked { $0.remove(report) } }
  }
}
