import CooperativeCancellation
import FakeCallbackSDK
import Synchronization
import Testing

/// Collects the misuse reports of this process. Tests run in parallel: each finds its own by the
/// line of its call.
final class Reports: Sendable {
  static let shared = Reports()

  private let reports = Protected<[UInt: [RuntimeIssue]]>([:])
  private let lastLine = Atomic<UInt>(1_000_000)

  private init() {
    RuntimeIssue.handler = { report in
      // No test asks for this one, because it names no line of a test.
      if report.callSite.fileID.hasPrefix("CooperativeCancellation/") {
        Issue.record("a report names the library as its caller: \(report)")
      }
      self.reports.withLock { $0[report.callSite.line, default: []].append(report) }
    }
  }

  /// A line number that no other call has.
  func uniqueLine() -> UInt { lastLine.add(1, ordering: .relaxed).newValue }

  func kinds(line: UInt) -> [RuntimeIssue.Kind] { reports(line: line).map(\.kind) }
  func texts(line: UInt) -> [String] { reports(line: line).map(\.description) }

  /// The reports of a call, which are then forgotten.
  func take(line: UInt) -> [RuntimeIssue.Kind] {
    reports.withLock { $0.removeValue(forKey: line) ?? [] }.map(\.kind)
  }

  private func reports(line: UInt) -> [RuntimeIssue] { reports.withLock { $0[line] ?? [] } }
}
