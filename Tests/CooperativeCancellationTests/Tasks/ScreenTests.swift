import CooperativeCancellation
import CooperativeCancellationUI
import Testing

@Suite("Screens, without UIKit and SwiftUI", .watchdog)
struct ScreenTests {
  @Test(arguments: [false, true], [(false, false), (false, true), (true, false), (true, true)])
  func `a screen is gone if no window shows it and no screen is over it or under it`(
    isInWindow: Bool,
    presentation: (isPresented: Bool, isPresenting: Bool)
  ) {
    let whereabouts = Whereabouts(
      isInWindow: isInWindow,
      isPresented: presentation.isPresented,
      isPresenting: presentation.isPresenting
    )
    let isSomewhere = isInWindow || presentation.isPresented || presentation.isPresenting
    #expect(whereabouts.isNowhere == !isSomewhere)
  }

  /// Lets the main actor run what a released lifetime has sent to it.
  @MainActor
  private func turn() async {
    await Task { @MainActor in }.value
  }

  @Test @MainActor
  func `a lifetime cancels its bag when it is released`() async {
    let bag = TaskBag()
    let task = foreverTask()
    task.store(in: bag)
    do {
      let lifetime = BagLifetime()
      do { _ = BagLifetime() }
      lifetime.tie(bag)
      lifetime.tie(bag)
      #expect(!task.isCancelled)
    }
    await turn()
    #expect(task.isCancelled)
    _ = await task.result
  }

  @Test @MainActor
  func `several lifetimes of one bag cancel it when the last one is released`() async {
    let bag = TaskBag()
    let task = foreverTask()
    task.store(in: bag)
    var lifetimes = (0..<4).map { _ in BagLifetime() }
    for lifetime in lifetimes { lifetime.tie(bag) }
    for _ in 0..<3 {
      lifetimes.removeFirst()
      await turn()
      #expect(!task.isCancelled)
    }
    lifetimes.removeFirst()
    await turn()
    #expect(task.isCancelled)
    #expect(!bag.isClosed)
    _ = await task.result
  }

  @Test @MainActor
  func `a lifetime that moves to another bag cancels the first one`() async {
    let (first, second) = (TaskBag(), TaskBag())
    let (old, new) = (foreverTask(), foreverTask())
    old.store(in: first)
    new.store(in: second)
    do {
      let lifetime = BagLifetime()
      lifetime.tie(first)
      lifetime.tie(second)
      #expect(old.isCancelled)
      #expect(!new.isCancelled)
    }
    await turn()
    #expect(new.isCancelled)
    _ = await (old.result, new.result)
  }

  @Test @MainActor
  func `a lifetime may be tied again while it cancels its first bag`() async {
    let (first, second) = (TaskBag(), TaskBag())
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
          isCancelled.fire()
        }
      }
      await isWaiting.wait()
      lifetime.tie(first)
      lifetime.tie(second)
      #expect(!task.isCancelled)
    }
    await turn()
    #expect(task.isCancelled)
    _ = await task.result
  }
}
