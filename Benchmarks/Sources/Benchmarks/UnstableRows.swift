/// The rows that CI does not compare: their ratios are not stable, or they take long.
///
/// Over ten runs of the short form, on two cores under a load of ten, the largest ratio of each other row was
/// at most 9 % above the row's median, but for one of 18 % in one run. ``Check`` measures such a row again.
enum UnstableRows {
  private static let names: Set<String> = [
    // More than one thread, or two tasks: the largest was 29 % and 23 % above the smallest.
    "Task { … }.store(in: bag)",
    "answers on a dispatch queue",
    // More memory than the caches hold: 15 % for 10 000 waits.
    "cancel of a waiting group, per wait, of 10 000",
    "cancel of a waiting group, per wait, of 100 000",
    "cancel of a waiting group, per wait, of 1 000 000",
    // The same, and the calls that wait are made for each sample: the quarters are far apart.
    "a pending call, beside 9 999",
    "a pending call, beside 99 999",
    "pending calls, 10 000 at once",
    "pending calls, 100 000 at once",
    // Stable, but long; the rows for fewer are compared.
    "memory of a wait, of 100 000",
    "memory of a wait, of 1 000 000",
  ]

  static func contain(_ comparison: Comparison) -> Bool {
    names.contains(comparison.name)
  }
}
