/// The results as the documentation shows them: a row for each scenario, a column for the bridges that do the same.
struct HostileTable {
  private struct Column {
    let title: String
    let forms: [BridgeForm]

    init(
      _ kind: BridgeForm.Kind,
      _ title: String,
      carriesValue: Bool,
      isPending: Bool = false,
      checks: Bool = true
    ) {
      forms = BridgeForm.all.filter {
        $0.kind == kind && $0.carriesValue == carriesValue && $0.isPending == isPending
          && ($0.checks || kind == .unconditional) == checks
      }
      self.title = title
    }
  }

  private static let columns = [
    Column(.throwing, "throwing, a value", carriesValue: true),
    Column(.throwing, "throwing, nothing", carriesValue: false),
    Column(.fallback, "`fallback:`, a value", carriesValue: true),
    Column(.fallback, "`fallback:`, nothing", carriesValue: false),
    Column(.unconditional, "neither, a value", carriesValue: true),
    Column(.unconditional, "neither, nothing", carriesValue: false),
    Column(.throwing, "a continuation", carriesValue: true, checks: false),
    Column(.throwing, "pending, a value", carriesValue: true, isPending: true),
  ]

  /// The lines of the table.
  private(set) var lines = [
    row(["The SDK"] + columns.map(\.title)),
    row(Array(repeating: "---", count: columns.count + 1)),
  ]

  /// Adds the result of a scenario with each form, in the order of `BridgeForm.all`.
  mutating func add(_ scenario: HostileScenario, _ outcomes: [(form: BridgeForm, text: String)]) {
    let cells = HostileTable.columns.map { column in
      HostileTable.cell(
        outcomes.filter { outcome in
          column.forms.contains { $0.testDescription == outcome.form.testDescription }
        }
      )
    }
    lines.append(HostileTable.row([scenario.name] + cells))
  }

  /// One text if all forms agree; otherwise the first one's, and those of the others by name.
  private static func cell(_ outcomes: [(form: BridgeForm, text: String)]) -> String {
    guard let usual = outcomes.first?.text else { return "" }
    let others = outcomes.filter { $0.text != usual }.map {
      "\($0.form.testDescription): \($0.text)"
    }
    return ([usual] + others).joined(separator: "; ")
  }

  private static func row(_ cells: [String]) -> String {
    "| " + cells.joined(separator: " | ") + " |"
  }
}
