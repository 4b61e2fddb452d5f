import Foundation
import Testing

/// Compares the documentation's table of hostile SDKs with what happens here:
/// `RECORD_TABLE=1 swift test --filter HostileSDKTests` writes it. It has a row for each scenario, and a column for the
/// bridges that do the same.
@Suite("Hostile SDKs", .watchdog, .ownThread)
struct HostileSDKTests {
  private typealias Played = (form: BridgeForm, outcome: HostileOutcome)

  private static let page = URL(filePath: #filePath)
    .deletingLastPathComponent()
    .appending(path: "../../../Documentation.docc/HostileSDKs.md")
  /// The lines of the page between which the table stands.
  private static let begin = "<!-- written by HostileSDKTests: begin -->"
  private static let end = "<!-- written by HostileSDKTests: end -->"

  private let columns: [(title: String, contains: (BridgeForm) -> Bool)] = [
    ("a bridge that throws", { $0.checks }),
    ("one that ignores cancellation", { $0.kind == .unconditional }),
    ("a continuation", { $0.kind == .throwing && $0.carriesValue && !$0.checks }),
  ]

  @Test
  func `every scenario ends as the documentation says, with every form of bridge`() async throws {
    var table = [["The SDK"] + columns.map(\.title), Array(repeating: "---", count: 4)]
    for scenario in HostileScenario.all {
      // Names the scenario in which it hangs, if it hangs.
      print("The SDK \(scenario.name)")
      var all: [Played] = []
      for form in BridgeForm.all where form.carriesValue || !scenario.needsValue {
        // Other tests need this thread too.
        await Task.yield()
        let stage = HostileStage(form)
        scenario.play(stage)
        all.append((form, await stage.end()))
      }
      table.append(
        [scenario.name] + columns.map { column in cell(all.filter { column.contains($0.form) }) }
      )
    }
    let rows = table.map { "| " + $0.joined(separator: " | ") + " |" }
    let lines = try String(contentsOf: Self.page, encoding: .utf8).components(separatedBy: "\n")
    let begin = try #require(lines.firstIndex(of: Self.begin))
    let end = try #require(lines.firstIndex(of: Self.end))
    if ProcessInfo.processInfo.environment["RECORD_TABLE"] != nil {
      let text = (lines[...begin] + [""] + rows + [""] + lines[end...]).joined(separator: "\n")
      return try text.write(to: Self.page, atomically: true, encoding: .utf8)
    }
    let documented = lines[begin..<end].filter { $0.hasPrefix("|") }
    #expect(documented == rows, "RECORD_TABLE=1 writes it")
  }

  /// What the column's usual form did, and the forms that did not do the same, by name.
  private func cell(_ all: [Played]) -> String {
    let isUsual = { (form: BridgeForm) in
      form.kind != .fallback && form.carriesValue && !form.isPending
    }
    guard let usual = all.first(where: { isUsual($0.form) }) else { return "" }
    let others = all.filter { $0.outcome.text != usual.outcome.expected(of: $0.form).text }
      .map { "\($0.form.testDescription): \($0.outcome.text)" }
    return ([usual.outcome.text] + others).joined(separator: "; ")
  }
}
