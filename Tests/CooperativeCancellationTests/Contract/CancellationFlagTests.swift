import CooperativeCancellation
import FakeCallbackSDK
import Foundation
import Testing

@Suite("CancellationFlag", .watchdog) struct CancellationFlagTests {
  @Test func `a flag tells the SDK's thread that the waiting task is cancelled`() async {
    let isWorking = Signal()
    let seenByStaticCheck = Protected(false)
    let task = Task {
      try await withCancellationFlag { flag in
        try await withAsyncThrowingValue(whenCancelled: .waitForCallback) { completion in
          // An SDK that works on a thread of its own until it is told to stop.
          Thread.detachNewThread {
            while !flag.isCancelled {
              isWorking.fire()
              seenByStaticCheck.withLock { $0 = $0 || Task.isCancelled }
            }
            completion(.success(1))
          }
        }
      }
    }
    await isWorking.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(
      seenByStaticCheck.withLock { $0 } == false,
      "Task.isCancelled says nothing on that thread"
    )
  }

  @Test
  func `a flag is set before the body runs only in a cancelled task, and stays set when set`() async
  {
    let wasSet = await Task {
      cancelThisTask()
      return await withCancellationFlag { $0.isCancelled }
    }.value
    #expect(wasSet)
    let kept = await withCancellationFlag { $0 }
    #expect(!kept.isCancelled, "not set when its scope ends")
    await withCancellationFlag { flag in
      #expect(!flag.isCancelled)
      flag.set()
      #expect(flag.isCancelled)
      #expect(!Task.isCancelled)
    }
  }
}
