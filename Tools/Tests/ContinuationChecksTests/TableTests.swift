import ContinuationChecks
import Foundation
import Testing

/// The findings in files that compile, against the comments in them.
struct TableTests {
  private func report(_ path: String) throws -> Report {
    try Report(source: String(contentsOf: Self.package.appending(path: path), encoding: .utf8))
  }

  private static let package = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test(arguments: [
    "Tests/Callbacks/Wrong.swift", "Tests/Callbacks/Right.swift",
    "../Snippets/CheckContinuations.swift",
  ])
  func `every mistake is found, and nothing else`(path: String) throws {
    let source = try String(contentsOf: Self.package.appending(path: path), encoding: .utf8)
    let marked = source.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .compactMap { index, line in
        line.firstRange(of: "// warning: ").map { "\(index + 1): \(line[$0.upperBound...])" }
      }
    #expect(try report(path).findings.map { "\($0.line): \($0.kind.rawValue)" } == marked)
  }

  @Test
  func `the duplicate checks of a service written by hand are found`() throws {
    let folder = "../Tests/CooperativeCancellationTests/DuplicateChecks"
    let byHand = try report("\(folder)/HandWrittenService.swift")
    #expect(byHand.findings.map(\.kind) == Array(repeating: .cancellationCheckInCallback, count: 4))
    #expect(byHand.waits == 4 && byHand.cancellableWaits == 0)
    let bridged = try report("\(folder)/BridgedService.swift")
    #expect(bridged.findings.isEmpty && bridged.cancellableWaits == 4)
  }

  @Test(arguments: ["", "\u{0}", "func f( {", "withCheckedContinuation", "completion: {"])
  func `no source is a crash`(source: String) {
    _ = try? Report(source: source + " // Continuation")
  }
}
