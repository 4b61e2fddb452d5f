@testable import ContinuationChecks
import Foundation
import Testing

/// A file of the repository, by its path from this package.
private func source(_ path: String) throws -> String {
  let url = URL(filePath: "\(#filePath)/../../../\(path)").standardized
  return try String(contentsOf: url, encoding: .utf8)
}

@Test(arguments: [
  "Tests/Callbacks/Wrong.swift", "Tests/Callbacks/Right.swift", "Tests/Callbacks/Loops.swift",
  "Tests/Callbacks/Locks.swift", "Tests/Callbacks/Debatable.swift",
  "../Snippets/CheckContinuations.swift",
])
func `every mistake is found, and nothing else`(path: String) throws {
  let source = try source(path)
  let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
  let marked = lines.enumerated().compactMap { index, line in
    line.firstRange(of: "// warning: ").map { "\(index + 1): \(line[$0.upperBound...])" }
  }
  let found = try #require(Report(source: source, kinds: Set(Kind.all))).findings
  #expect(found.map { "\($0.line): \($0.kind.name)" } == marked)
}

@Test func `the duplicate checks of a service written by hand are found`() throws {
  let folder = "../Tests/CooperativeCancellationTests/DuplicateChecks"
  let byHand = try #require(Report(source: source("\(folder)/HandWrittenService.swift")))
  #expect(byHand.findings.map(\.kind) == Array(repeating: .cancellationCheckInCallback, count: 4))
  #expect(byHand.waits == 4 && byHand.cancellableWaits == 0)
  let bridged = try #require(Report(source: source("\(folder)/BridgedService.swift")))
  #expect(bridged.findings.isEmpty && bridged.cancellableWaits == 4)
}

@Test(arguments: ["", "\u{0}", "func f( {", "withCheckedContinuation", "completion: {"])
func `no source is a crash`(source: String) { _ = Report(source: source + " // Continuation") }
