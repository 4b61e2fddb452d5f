/// The results as the documentation shows them: a row for each scenario, a column for the bridges that do the same.
struct HostileTable {
  private struct Column {
    let title: String
    let contains: @Sendable (BridgeForm) -> Bool
  }

  private static let columns = [
    Column(title: "a bridge that throws", contains: { $0.checks }),
    Column(title: "one that ignores cancellation", contains: { $0.kind == .unconditional }),
    Column(
      title: "a continuation",
      contains: { $0.kind == .throwing && $0.carriesValue && !$0.checks }
    ),
  ]

  /// The lines of the table.
  private(set) var lines = [
    row(["The SDK"] + columns.map(\.title)),
    row(Array(repeating: "---", count: columns.count + 1)),
  ]

  /// Adds the result of a scenario with each form, in the order of `BridgeForm.all`.
  mutating func add(
    _ scenario: HostileScenario,
    _ outcomes: [(form: BridgeForm, outcome: HostileOutcome)]
  ) {
    let cells = HostileTable.columns.map { column in
      HostileTable.cell(outcomes.filter { column.contains($0.form) })
    }
    lines.append(HostileTable.row([scenario.name] + cells))
  }

  /// What the column's usual form did, and the forms that did not do the same, by name.
  private static func cell(_ outcomes: [(form: BridgeForm, outcome: HostileOutcome)]) -> String {
    let isUsual = { (form: BridgeForm) in
      form.kind != .fallback && form.carriesValue && !form.isPending
    }
    guard let usual = outcomes.first(where: { isUsual($0.form) }) else { return "" }
    let others = outcomes.filter { $0.outcome.text != usual.outcome.expected(of: $0.form).text }
      .map { "\($0.form.testDescription): \($0.outcome.text)" }
    return ([usual.outcome.text] + others).joined(separator: "; ")
  }

  private static func row(_ cells: [String]) -> String {
    "| " + cells.joined(separator: " | ") + " |"
  }
}
