import Foundation
import Testing

/// Compares the documentation's table of hostile SDKs with what happens here:
/// `RECORD_TABLE=1 swift test --filter HostileSDKTests` writes it.
@Suite("Hostile SDKs", .watchdog, .ownThread)
struct HostileSDKTests {
  private static let page = URL(filePath: #filePath)
    .deletingLastPathComponent()
    .appending(path: "../../../Documentation.docc/HostileSDKs.md")
  /// The lines of the page between which the table stands.
  private static let begin = "<!-- written by HostileSDKTests: begin -->"
  private static let end = "<!-- written by HostileSDKTests: end -->"

  @Test
  func `every scenario ends as the documentation says, with every form of bridge`() async throws {
    var table = HostileTable()
    for scenario in HostileScenario.all {
      // Names the scenario in which it hangs, if it hangs.
      print("The SDK \(scenario.name)")
      var outcomes: [(form: BridgeForm, outcome: HostileOutcome)] = []
      for form in BridgeForm.all where scenario.suits(form) {
        // Other tests need this thread too.
        await Task.yield()
        let stage = HostileStage(form)
        scenario.play(stage)
        outcomes.append((form: form, outcome: await stage.end()))
      }
      table.add(scenario, outcomes)
    }
    let lines = try String(contentsOf: Self.page, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
    let begin = try #require(lines.firstIndex(of: Self.begin))
    let end = try #require(lines.firstIndex(of: Self.end))
    if ProcessInfo.processInfo.environment["RECORD_TABLE"] != nil {
      let text = (lines[...begin] + [""] + table.lines + [""] + lines[end...])
        .joined(separator: "\n")
      try text.write(to: Self.page, atomically: true, encoding: .utf8)
      return
    }
    let documented = lines[begin..<end].filter { $0.hasPrefix("|") }
    for line in table.lines where !documented.contains(line) {
      Issue.record("the documentation does not say (RECORD_TABLE=1 writes it): \(line)")
    }
    #expect(documented == table.lines)
  }
}
