import CooperativeCancellation
import CooperativeCancellationUI
import Testing

@Suite("Screens, apart from UIKit and SwiftUI", .watchdog)
struct ScreenTests {
  @Test
  func `a screen has gone if it was dismissed or popped, or one of its containers was`() {
    let all = [(false, false), (true, false), (false, true), (true, true)].map {
      Disappearance(isBeingDismissed: $0, isMovingFromParent: $1)
    }
    let covered = all[0]
    #expect(!Disappearance.isFinal([covered, covered, covered]))
    for gone in all.dropFirst() {
      #expect(Disappearance.isFinal([gone]))
      #expect(Disappearance.isFinal([gone, covered]))
      #expect(Disappearance.isFinal([covered, covered, gone]))
    }
  }

  @Test
  func `a lifetime cancels the bag that it is tied to, once it is released`() async {
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
    #expect(task.isCancelled)
    _ = await task.result
  }

  @Test
  func `of two lifetimes of one bag, the last that is released cancels it`() async {
    let bag = TaskBag()
    let task = foreverTask()
    task.store(in: bag)
    var lifetimes = [BagLifetime(), BagLifetime()]
    for lifetime in lifetimes { lifetime.tie(bag) }
    lifetimes.removeFirst()
    #expect(!task.isCancelled)
    lifetimes.removeFirst()
    #expect(task.isCancelled)
    _ = await task.result
  }

  @Test
  func `a lifetime that is tied to another bag cancels the first`() async {
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
    #expect(new.isCancelled)
    _ = await (old.result, new.result)
  }
}
