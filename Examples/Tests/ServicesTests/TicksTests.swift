import CallbackSequences
import CooperativeCancellation
import Dispatch
import Testing

@testable import Services

@Suite("Dispatch: a timer source", .watchdog) struct TicksTests {
  @Test func `it ticks until the reader leaves`() async {
    var count = 0
    for await _ in ticks(every: .milliseconds(1)) {
      count += 1
      if count == 3 { break }
    }
    #expect(count == 3)
  }

  @Test func `cancelling the reader stops the timer`() async {
    let hasTicked = Signal()
    let task = Task {
      for await _ in ticks(every: .seconds(3600)) { hasTicked.fire() }
      return Task.isCancelled
    }
    await hasTicked.wait()
    task.cancel()
    #expect(await task.value)
  }
}
