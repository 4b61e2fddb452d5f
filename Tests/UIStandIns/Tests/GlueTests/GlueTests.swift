import CooperativeCancellation
import Testing

@Suite("The glue to UIKit and SwiftUI", .timeLimit(.minutes(10)))
@MainActor
struct GlueTests {
  private func run(_ owner: some TaskOwner, ends: Bool, _ name: String) async throws {
    if ends {
      try await owner.taskBag.waitForAll()
    } else {
      for _ in 0..<10 { await Task.yield() }
      #expect(owner.taskBag.count == 1, "\(name)")
    }
    owner.cancelAll()
    try await owner.taskBag.waitForAll()
  }

  @Test
  func `a hosting screen cancels its view model's tasks when it has gone, not when it is covered`()
    async throws
  {
    for (name, happen, ends) in disappearances {
      let screen = FeatureAViewController(rootView: FeatureAView(), viewModel: FeatureAViewModel())
      screen.viewDidLoad()
      happen(screen)
      screen.viewDidDisappear(true)
      try await run(screen.viewModel, ends: ends, name)
      #expect(screen.viewModel.printed == ["success is false"])
    }
  }

  @Test
  func `a hosting screen that is popped while it is covered cancels them too`() async throws {
    let screen = FeatureAViewController(rootView: FeatureAView(), viewModel: FeatureAViewModel())
    screen.viewDidLoad()
    screen.wasPushed()
    for _ in 0..<10 { await Task.yield() }
    #expect(screen.viewModel.taskBag.count == 1)
    screen.wasPopped()
    try await screen.viewModel.taskBag.waitForAll()
    #expect(screen.viewModel.printed == ["success is false"])
  }

  @Test
  func `so does a plain screen`() async throws {
    for (name, happen, ends) in disappearances {
      let screen = PlainViewController()
      screen.viewModel.addTask { try await waitForCancel() }
      happen(screen)
      screen.viewDidDisappear(true)
      try await run(screen.viewModel, ends: ends, name)
    }
  }

  @Test
  func `a view's bag is cancelled when the view is removed, not when it is evaluated again`()
    async throws
  {
    let bag = TaskBag()
    bag.add { try await waitForCancel() }
    let place = Place()
    place.show(bag)
    place.show(bag)
    for _ in 0..<10 { await Task.yield() }
    #expect(bag.count == 1)
    place.remove()
    try await bag.waitForAll()
  }

  @Test
  func `a view that takes the place of another, with the same bag, keeps the tasks`() async throws {
    let bag = TaskBag()
    let (old, new) = (Place(), Place())
    old.show(bag)
    new.show(bag)
    bag.add { try await waitForCancel() }
    old.remove()
    for _ in 0..<10 { await Task.yield() }
    #expect(bag.count == 1)
    new.remove()
    try await bag.waitForAll()
  }

  @Test
  func `a view that is given another bag cancels the first at once, and the other in the end`()
    async throws
  {
    let (first, second) = (TaskBag(), TaskBag())
    first.add { try await waitForCancel() }
    second.add { try await waitForCancel() }
    let place = Place()
    place.show(first)
    place.show(second)
    try await first.waitForAll()
    #expect(second.count == 1)
    place.remove()
    try await second.waitForAll()
  }
}
