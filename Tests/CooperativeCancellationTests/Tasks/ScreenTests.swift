import CooperativeCancellation
import CooperativeCancellationUI
import Testing

@Suite("Screens, apart from UIKit and SwiftUI", .watchdog)
struct ScreenTests {
  @Test(arguments: [false, true], [false, true])
  func `a screen has gone if it was dismissed, popped, or its navigation controller dismissed`(
    first: Bool,
    second: Bool
  ) {
    for third in [false, true] {
      let disappearance = Disappearance(
        isBeingDismissed: first,
        isMovingFromParent: second,
        isNavigationControllerBeingDismissed: third
      )
      #expect(disappearance.isFinal == (first || second || third))
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
