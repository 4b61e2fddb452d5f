import CooperativeCancellation
import CooperativeCancellationUI
import FakeCallbackSDK
import TaskBags
import Testing

@Suite("Screens, without UIKit and SwiftUI", .watchdog) struct ScreenTests {
  /// Lets the main actor run what a released lifetime has sent to it.
  @MainActor
  private func turn() async { await Task { @MainActor in }.value }

  @Test @MainActor
  func `several lifetimes of one bag cancel it when the last one is released`() async {
    let bag = TaskBag()
    let task = foreverTask()
    task.store(in: bag)
    var lifetimes = (0..<4).map { _ in BagLifetime() }
    for lifetime in lifetimes {
      lifetime.tie(bag)
      lifetime.tie(bag)  // It counts once.
    }
    do { _ = BagLifetime() }  // It has no bag.
    for _ in 0..<3 {
      lifetimes.removeFirst()
      await turn()
      #expect(!task.isCancelled)
    }
    lifetimes.removeFirst()
    await turn()
    #expect(task.isCancelled)
    #expect(bag.add {}, "it is still open")
    _ = await task.result
  }

  @Test @MainActor
  func `a lifetime may be tied again while it cancels its first bag`() async {
    let (first, second) = (TaskBag(), TaskBag())
    let wasCancelled = Protected(false)
    let task = foreverTask()
    task.store(in: second)
    do {
      let lifetime = BagLifetime()
      let (isWaiting, isCancelled) = (Signal(), Signal())
      first.add { [weak lifetime] in
        await withTaskCancellationHandler {
          isWaiting.fire()
          await isCancelled.wait()
        } onCancel: {
          MainActor.assumeIsolated { lifetime?.tie(second) }
          wasCancelled.withLock { $0 = true }
          isCancelled.fire()
        }
      }
      await isWaiting.wait()
      lifetime.tie(first)
      lifetime.tie(second)
      #expect(wasCancelled.withLock { $0 })
      #expect(!task.isCancelled)
    }
    await turn()
    #expect(task.isCancelled)
    _ = await task.result
  }
}
