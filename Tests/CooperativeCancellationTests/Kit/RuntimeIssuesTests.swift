import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Foundation
import Testing

@Suite("Misuse reports of one test", .watchdog) struct RuntimeIssuesTests {
  @Test func `the reports of a test are collected apart from others, and do not reach the handler`()
    async throws
  {
    let lines = (1...20).map { _ in Reports.shared.uniqueLine() }
    try await withThrowingTaskGroup { group in
      for line in lines {
        group.addTask {
          let reports = try await runtimeIssues {
            let calls = FakeCall<@Sendable () -> Void>()
            let task = Task {
              await withAsyncValue(line: line) { completion in _ = calls.record(completion) }
            }
            let request = try await calls.next(within: .watchdog)
            for _ in 1...2 { request.answer { $0() } }
            await task.value
          }
          #expect(reports.map(\.kind) == [.completionCalledAgain])
          #expect(reports.map(\.callSite.line) == [line])
          #expect(Reports.shared.kinds(line: line) == [])
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `reports are collected from any thread on which a fake calls or drops a completion`()
    async throws
  {
    let line = Reports.shared.uniqueLine()
    let calls = FakeCall<@Sendable () -> Void>()
    let reports = try await runtimeIssues {
      let task = Task {
        await withAsyncValue(line: line) { completion in _ = calls.record(completion) }
      }
      let request = try await calls.next(within: .watchdog)
      Thread.detachNewThread { request.drop() }
      await task.value
    }
    #expect(reports.map(\.kind) == [.completionDropped])
    #expect(Reports.shared.kinds(line: line) == [])
  }
}
