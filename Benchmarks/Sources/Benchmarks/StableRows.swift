/// The rows that CI compares.
enum StableRows {
  private static let names: Set<String> = []

  static func contain(_ comparison: Comparison) -> Bool {
    names.contains(comparison.name)
  }
}
