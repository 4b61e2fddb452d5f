import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

@Suite("Waiting for the cancellation", .watchdog) struct WaitForCancellationTests {
  @Test(arguments: [nil, MainActor.shared] as [(any Actor)?])
  func `a wait for the cancellation returns when the task is cancelled, on the caller's actor`(
    isolation: (any Actor)?
  ) async {
    @Sendable func wait(isolation: isolated (any Actor)?, _ begun: Signal) async {
      begun.fire()
      await CooperativeCancellation.waitForCancellation()
      isolation?.preconditionIsolated()
      #expect(Task.isCancelled)
    }
    let begun = Signal()
    let task = Task { await wait(isolation: isolation, begun) }
    await begun.wait()
    task.cancel()
    await task.value
  }

  @Test func `a wait for the cancellation returns at once in a task that is already cancelled`()
    async
  {
    await Task {
      cancelThisTask()
      await CooperativeCancellation.waitForCancellation()
    }.value
  }

  @Test func `a task that waits for its cancellation is listed`() async {
    WaitingCalls.startRecording()
    let line = Reports.shared.uniqueLine()
    func texts() -> [String] { WaitingCalls.all.filter { $0.callSite.line == line }.map(\.text) }
    let task = Task { await CooperativeCancellation.waitForCancellation(line: line) }
    while texts().isEmpty { await Task.yield() }
    #expect(texts() == ["\(#fileID):\(line), waiting to be cancelled"])
    task.cancel()
    await task.value
    #expect(texts() == [])
    #expect(Reports.shared.kinds(line: line) == [], "the continuation is not dropped")
  }
}
