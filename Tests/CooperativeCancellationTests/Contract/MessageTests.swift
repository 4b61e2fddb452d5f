import CooperativeCancellation
import FakeCallbackSDK
import TaskBags
import Testing

@Suite("The texts of errors and reports", .watchdog) struct MessageTests {
  @Test func `a dropped completion's error names the call, the fault and the remedy`() async {
    var error: DroppedCompletionError?
    let line: UInt = #line + 2
    do {
      try await withAsyncThrowingValue { (_: @Sendable (Result<Void, any Error>) -> Void) in }
    } catch let dropped as DroppedCompletionError {
      error = dropped
    } catch {}
    #expect(error?.callSite == CallSite(fileID: #fileID, line: line))
    let text = "\(error.map { "\($0)" } ?? "")"
    #expect(text.contains("CooperativeCancellationTests/MessageTests.swift:\(line)"))
    #expect(text.contains("released without being called"))
    #expect(text.contains("Call it exactly once"))
  }

  @Test(arguments: [RuntimeIssue.Kind.completionCalledAgain, .completionDropped])
  func `a report is one line that begins with the call site`(kind: RuntimeIssue.Kind) async {
    let line = Reports.shared.uniqueLine()
    await withAsyncValue(line: line) { completion in
      if kind == .completionCalledAgain {
        completion()
        completion()
      }
    }
    #expect(Reports.shared.kinds(line: line) == [kind])
    let text = Reports.shared.texts(line: line).joined()
    #expect(text.hasPrefix("\(#fileID):\(line): the completion made here was"))
    #expect(!text.contains("\n"))
  }

  @Test func `a handler stays the same when it is saved and restored repeatedly`() async {
    await #expect(processExitsWith: .success) {
      for _ in 0..<300_000 { RuntimeIssue.handler = RuntimeIssue.handler }
      await withAsyncValue {
        $0(); $0()
      }
    }
    // The same for a bag's error handler.
    await #expect(processExitsWith: .success) {
      let errors = Protected(0)
      let bag = TaskBag { _, _ in errors.withLock { $0 += 1 } }
      for _ in 0..<300_000 { bag.onError = bag.onError }
      bag.add { throw SDKError.failed }
      try await bag.waitForAll()
      #expect(errors.withLock { $0 } == 1)
    }
  }
}
